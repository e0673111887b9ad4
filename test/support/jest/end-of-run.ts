// Jest loads this file without a build, so it must not import the service.
import { globSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';

const ofProcess = globalThis as { closeSharedServices?: () => Promise<void> };

/** Runs in the process that started jest. Without workers, spec files ran in that process too. */
export default async function endOfRun(): Promise<void> {
  await ofProcess.closeSharedServices?.();
  // A worker that was killed has not removed its folders.
  for (const folder of ['/dev/shm', tmpdir()]) {
    for (const left of globSync(`${folder}/countersign-${process.env['TEST_RUN']}-*`)) {
      rmSync(left, { recursive: true, force: true });
    }
  }
}
