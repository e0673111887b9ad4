import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A data directory of one test, taken away after it. */
export class EmbeddedDirectory {
  readonly path = mkdtempSync(join(tmpdir(), 'countersign-'));

  file(name: string): string {
    return join(this.path, name);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
