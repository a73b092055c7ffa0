import * as fs from 'node:fs';
import { isErrno } from './errors.mjs';

/** @param {string} file */
export function readIfPresent(file) {
	try {
		return fs.readFileSync(file);
	} catch (error) {
		if (isErrno(error) && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return undefined;
		throw error;
	}
}

/** Accepts an existing folder: another process can create it first. @param {string} folder */
export function makeFolder(folder) {
	try {
		fs.mkdirSync(folder);
	} catch (error) {
		if (!isErrno(error) || error.code !== 'EEXIST') throw error;
	}
}

/** @param {string} target */
export function remove(target) {
	fs.rmSync(target, { recursive: true, force: true, maxRetries: 3 });
}
