import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { reachableSockets, socketsIn } from '../../../server/isolation/sockets.ts';
import { shortFolder } from '../../support/temporary.ts';

test('the sockets with a file are read from /proc/net/unix', () => {
	const text = [
		'Num       RefCount Protocol Flags    Type St Inode Path',
		'0000000000000000: 00000002 00000000 00010000 0001 01 12345 /run/docker.sock',
		'0000000000000000: 00000002 00000000 00000000 0002 01 12346 /run/systemd/with a blank',
		'0000000000000000: 00000003 00000000 00000000 0001 03 12347',
		'0000000000000000: 00000002 00000000 00010000 0001 01 12348 @abstract',
		'0000000000000000: 00000002 00000000 00010000 0001 01 12349 relative.sock',
		'',
	].join('\n');
	expect(socketsIn(text)).toEqual(['/run/docker.sock', '/run/systemd/with a blank']);
});

test('found are those that exist, by their own path, and the one that DOCKER_HOST names', async () => {
	const folder = await shortFolder();
	const [socket, link, file] = [join(folder, 'a socket'), join(folder, 'link'), join(folder, 'file')];
	const server = createServer().listen(socket);
	onTestFinished(() => void server.close());
	await once(server, 'listening');
	await symlink(socket, link);
	await writeFile(file, '');
	const found = (DOCKER_HOST?: string) => reachableSockets(DOCKER_HOST === undefined ? {} : { DOCKER_HOST }, '/none');
	expect(found().filter((path) => path.startsWith(folder))).toEqual([socket]);
	for (const host of [`unix://${link}`, `unix://${file}`, 'tcp://127.0.0.1:1', '', 'unix://none']) {
		expect(found(host).filter((path) => path.startsWith(folder))).toEqual([socket]);
	}
});

test('the sockets of Docker and Podman are known, also where /proc does not show them', async () => {
	const folder = await shortFolder();
	for (const place of ['run/podman', 'home/.docker/run']) await mkdir(join(folder, place), { recursive: true });
	const names = ['run/docker.sock', 'run/podman/podman.sock', 'home/.docker/run/docker.sock'];
	const places = names.map((name) => join(folder, name));
	// A listener that was killed leaves its file: /proc knows no such socket any more.
	const listen = 'net.createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))';
	for (const place of places) spawnSync(process.execPath, ['-e', listen, place]);
	const found = reachableSockets({ XDG_RUNTIME_DIR: join(folder, 'run') }, join(folder, 'home'));
	expect(found.filter((path) => path.startsWith(folder))).toEqual(places);
	const other = join(folder, 'other.sock');
	spawnSync(process.execPath, ['-e', listen, other]);
	for (const DOCKER_HOST of [`unix://${other}`, other]) {
		expect(reachableSockets({ DOCKER_HOST }, '/none').filter((path) => path.startsWith(folder))).toEqual([other]);
	}
});
