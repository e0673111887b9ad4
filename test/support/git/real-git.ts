import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { GitRepository } from '../../../src/ports/offloaded/git-repositories.port.js';

/** Ignores git's settings of this machine and of the user who runs the tests. */
const environment = (home: string) => ({
  PATH: process.env.PATH,
  HOME: home,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
});

/** Runs the installed git in a folder of its own. */
export class RealGit {
  readonly home = mkdtempSync(join(tmpdir(), 'countersign-git-'));

  run(folder: string, args: readonly string[], { input, env = {} }: { input?: Uint8Array; env?: object } = {}): Buffer {
    return execFileSync('git', args, {
      cwd: join(this.home, folder),
      env: { ...environment(this.home), ...env },
      maxBuffer: 512 * 1024 * 1024,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(input === undefined ? {} : { input }),
    });
  }

  text(folder: string, ...args: string[]): string {
    return this.run(folder, args).toString().trim();
  }

  /** Creates a folder with an empty repository. */
  init(folder: string, ...options: string[]): string {
    const path = join(this.home, folder);
    mkdirSync(path, { recursive: true });
    this.run(folder, ['init', '-q', '-b', 'main', ...options]);
    return path;
  }

  write(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
    for (const [path, content] of Object.entries(files)) {
      const file = join(this.home, folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
  }

  /** Commits everything in the folder, and returns the commit's sha. */
  commit(folder: string, message: string): string {
    this.run(folder, ['add', '-A']);
    this.run(folder, ['commit', '-q', '--allow-empty', '-m', message]);
    return this.text(folder, 'rev-parse', 'HEAD');
  }

  /** Returns a pack of everything that a commit refers to. */
  pack(folder: string, sha: string, ...without: string[]): Buffer {
    const input = Buffer.from([sha, ...without.map((one) => `^${one}`)].join('\n'));
    return this.run(folder, ['pack-objects', '--revs', '--stdout', '-q'], { input });
  }

  /** Makes a bare repository of these packs, and checks it with git. */
  adopt(folder: string, packs: string, { packs: names }: Pick<GitRepository, 'packs'>, sha: string): void {
    const path = this.init(folder, '--bare');
    for (const name of names) {
      for (const kind of ['pack', 'idx']) {
        copyFileSync(join(packs, `${name}.${kind}`), join(path, 'objects/pack', `pack-${name.slice(0, 40)}.${kind}`));
      }
    }
    this.run(folder, ['fsck', '--full', '--strict', '--no-dangling', sha]);
    this.run(folder, ['update-ref', 'refs/heads/main', sha]);
    for (const name of readdirSync(join(path, 'objects/pack')).filter((one) => one.endsWith('.idx'))) {
      this.run(folder, ['verify-pack', join('objects/pack', name)]);
    }
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}
