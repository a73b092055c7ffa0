/**
 * Preloaded into every Node process of a test (`node --require`): refuses connections that leave the loopback interface
 * and notes each, a line `HOST:PORT`, in the file outward.log of the home folder.
 */
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');

const { connect } = net.Socket.prototype;

/** @param {any[]} args as of `socket.connect`, or as Node's own modules hand them on: in an array */
net.Socket.prototype.connect = function (...args) {
	const [first, second] = Array.isArray(args[0]) ? args[0] : args;
	const target = typeof first === 'object' ? first : { port: first, host: second };
	const host = typeof target.host === 'string' ? target.host : 'localhost';
	if (typeof target.path === 'string' || /^(127\.[\d.]+|::1|localhost)$/.test(host)) {
		return Reflect.apply(connect, this, args);
	}
	fs.appendFileSync(path.join(process.env.HOME ?? '', 'outward.log'), `${host}:${target.port}\n`);
	// Later, as a network refuses: before that nobody listens for the error.
	setImmediate(() => this.destroy(Object.assign(new Error('Not on the loopback interface'), { code: 'ECONNREFUSED' })));
	return this;
};
