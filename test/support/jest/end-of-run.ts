// Imports nothing of ours: jest loads it as it stands.
import { globSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';

const ofProcess = globalThis as { closeSharedServices?: () => Promise<void> };

/** Runs in the process that started jest. Spec files ran in it too where there were no workers. */
export default async function endOfRun(): Promise<void> {
  await ofProcess.closeSharedServices?.();
  // A worker that was killed removes nothing.
  for (const folder of ['/dev/shm', tmpdir()]) {
    for (const left of globSync(`${folder}/countersign-${process.env['TEST_RUN']}-*`)) {
      rmSync(left, { recursive: true, force: true });
    }
  }
}
