// Builds dist, unless it is what these sources were built to. Runs before anything is built, so it is plain JavaScript.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = import.meta.dirname;
const stamp = join(root, 'dist/.built-from.json');

const filesOf = (folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .map((name) => `${folder}/${name}`)
    .sort();

/** By content: a checkout or a copy may bring older times. */
function sources() {
  const hash = createHash('sha256');
  const code = ['src', 'projections'].flatMap(filesOf).filter((file) => /(?<!\.spec)\.tsx?$/.test(file));
  for (const file of [...code, 'nest-cli.json', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json']) {
    hash
      .update(`${file}\n`)
      .update(readFileSync(join(root, file)))
      .update('\n');
  }
  return hash.digest('hex');
}

/** By size and time: whatever else builds into dist, like `npm run dev`, changes these. */
function outputs() {
  const hash = createHash('sha256');
  for (const folder of ['dist/src', 'dist/projections'].filter((path) => existsSync(join(root, path)))) {
    for (const file of filesOf(folder)) {
      if (!file.endsWith('.js')) continue;
      const { size, mtimeMs } = statSync(join(root, file));
      hash.update(`${file} ${size} ${mtimeMs}\n`);
    }
  }
  return hash.digest('hex');
}

function lastBuild() {
  try {
    return JSON.parse(readFileSync(stamp, 'utf8'));
  } catch {
    return {};
  }
}

// Before the build: what is saved while it goes on is built next time.
const from = sources();
const last = lastBuild();
const untouched = last.outputs === outputs();
if (!untouched || last.sources !== from) {
  rmSync(stamp, { force: true });
  // By this file the compiler knows what it need not write again, and does not see that it is gone or another's.
  if (!untouched) rmSync(join(root, 'dist/.tsbuildinfo'), { force: true });
  const nest = join(root, 'node_modules/@nestjs/cli/bin/nest.js');
  const { status } = spawnSync(process.execPath, [nest, 'build'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(stamp, JSON.stringify({ sources: from, outputs: outputs() }));
}
