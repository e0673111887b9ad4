import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A temporary data directory for one test. */
export class EmbeddedDirectory {
  readonly path = mkdtempSync(join(tmpdir(), 'countersign-'));

  file(name: string): string {
    return join(this.path, name);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
