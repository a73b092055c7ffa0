#!/usr/bin/env node
/**
 * Makes the run-time ready and starts the broker. The one file that is started, by Claude Code and by people; its parts
 * are in bootstrap/. Plain JavaScript and Node's own modules only, since it runs before any package is installed; what
 * every start runs is CommonJS, since Node takes 4 ms more to start with the other kind of module.
 *
 *     bootstrap.cjs            start the broker on stdio (.mcp.json, the package's bin)
 *     bootstrap.cjs prepare    only make ready (the SessionStart hook); failures become the hook's systemMessage
 *
 * Both are started at the same moment by Claude Code. Whoever takes the lock installs and builds; the others wait for
 * the finished build. Every result appears by a rename, so a process killed at any point leaves nothing half-made.
 *
 *     <data folder>/package-lock.json   copy of the plugin's lockfile, written last: the packages beside it are whole
 *     <data folder>/node_modules/       run-time packages, when the plugin's root has none of its own
 *     <data folder>/builds/<print>.cjs  what a start of the broker takes, named by the fingerprint of its sources
 *     <data folder>/builds/<print>.code what V8 has made of it
 *     <data folder>/builds/<print>.later the rest of the broker, with what V8 has made of that
 *     <data folder>/.lock               who prepares now
 *     <data folder>/.staging-*          work in progress, swept by the next process that prepares
 */
const { OLDEST_NODE, refuse } = require('./bootstrap/too-old.cjs');

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) void refuse();
// Only now: not every Node.js that is too old can read it.
else require('./bootstrap/run.cjs');
