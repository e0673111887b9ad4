import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, statfsSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { runsOnEngines, secondTierOf } from './test/tiers/tiers.ts';

// Its data directories are named by it, and removed when it ends.
process.env.TEST_RUN = String(process.pid);

// Temporary folders are in memory if there is room, because waiting for the disk at every commit took a fifth of the
// time. Files in memory survive a killed process just as files on disk do. Full disks are tested in `test/faults`.
const inMemory = '/dev/shm';
if (hasRoom(inMemory)) process.env.TMPDIR = inMemory;

// TEST_TIER=first leaves out what takes long, TEST_TIER=second is the rest; without it, everything.
const tier = process.env.TEST_TIER;
const specs = globSync('{src,projections,test}/**/*.spec.ts', { cwd: import.meta.dirname });
const patterns = secondTierOf(import.meta.dirname, specs).map((file) => `/${RegExp.escape(file)}$`);

// TEST_ENGINES=1 runs what says so on stand-ins or real engines, TEST_ENGINES=several in two processes that share the work.
const engines = process.env.TEST_ENGINES;
const onEngines = engines
  ? specs
      .filter((file) => runsOnEngines(`/${file}`, readFileSync(`${import.meta.dirname}/${file}`, 'utf8'), engines))
      .map((file) => `**/${file}`)
  : ['**/*.spec.ts'];

// Kafka's stand-in is Debian's kcat, which not every machine has.
function hasKafka() {
  if (process.env.TEST_ENGINES || process.env.KAFKA_BROKERS || process.env.TEST_KAFKA) return true;
  try {
    execFileSync('kcat', ['-V'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function hasRoom(folder) {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > 1024 ** 3;
  } catch {
    return false;
  }
}

export default {
  testEnvironment: '<rootDir>/test/support/jest/same-realm.environment.ts',
  runtime: '<rootDir>/test/support/jest/native.runtime.ts',
  reporters: ['default', '<rootDir>/test/tiers/slowest.reporter.mjs'],
  globalTeardown: '<rootDir>/test/support/jest/end-of-run.ts',
  // A worker closes the services that its spec files shared.
  workerGracefulExitTimeout: 10_000,
  roots: ['<rootDir>/src', '<rootDir>/projections', '<rootDir>/test'],
  ...(tier === 'second' ? { testRegex: patterns } : { testMatch: onEngines }),
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          keepClassNames: true,
          target: 'es2023',
        },
        module: { type: 'es6' },
      },
    ],
  },
  testPathIgnorePatterns: [...(tier === 'first' ? patterns : []), ...(hasKafka() ? [] : ['/test/.*kafka'])],
  // One more than there are cores, because spec files wait for a quarter of their time. A worker may need 2 GiB.
  maxWorkers: Math.max(1, Math.min(availableParallelism() + 1, Math.floor(totalmem() / 2 ** 31))),
  // Node never lets go of a module. A worker that has run 300 spec files would hold 3 GB of them, and mostly collect
  // garbage; after about 100 files another one takes its place.
  workerIdleMemoryLimit: '1.2GB',
  testTimeout: 60_000,
};
