import { customers } from '../support/catalogs.ts';
import type { PrivateFile } from './run-ways.ts';

const PEOPLE = customers(12);

/** A catalog as people write them, with some of everything. */
export const CATALOG: PrivateFile = {
	text: `# Private reference

What must not appear in anything that is published.

## Customers

${PEOPLE.slice(0, 5)
	.map(({ name, id }) => `- ${name} (${id})`)
	.join('\n')}

## Contacts

| Name | Mail | Phone |
|---|---|---|
${PEOPLE.slice(5, 9)
	.map(({ name, mail, phone }) => `| ${name} | ${mail} | ${phone} |`)
	.join('\n')}

## Staff

${PEOPLE.slice(9)
	.map(({ name, mail, city }) => `Name: ${name}\nE-mail: ${mail}\nHome: ${city}\n`)
	.join('\n')}
## Rules

1. The project Silver Otter is not announced.
2. Whoever asks for the plan of Niederfinow is to be sent to Ottilie first.
`,
	identifiers: [...PEOPLE.map(({ name }) => name), ...PEOPLE.slice(5).map(({ mail }) => mail)],
};

/** One with nothing but names. */
export const NAMES: PrivateFile = {
	text: `# Customers\n\n${PEOPLE.map(({ name }) => `- ${name}`).join('\n')}\n`,
	identifiers: PEOPLE.map(({ name }) => name),
};
