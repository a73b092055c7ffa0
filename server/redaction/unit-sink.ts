/**
 * What a piece of a file is.
 *
 * - `entry`: all of a list item, line, table cell, or value of a key
 * - `span`: text that stands in quotes, backticks, or bold; the text of a link; what looks like an identifier within a sentence
 * - `part`: what stands between punctuation within an entry, such as the text and the target of a link
 */
export type UnitKind = 'entry' | 'span' | 'part';

/** Takes the pieces of a file as they are found. Ranges are in UTF-16 code units; punctuation may stand at their ends. */
export interface UnitSink {
	unit(kind: UnitKind, start: number, end: number): void;
	/** The text of a heading, or of a cell in the first row of a table. */
	label(start: number, end: number): void;
	/** What stands before a colon. */
	key(start: number, end: number): void;
}
