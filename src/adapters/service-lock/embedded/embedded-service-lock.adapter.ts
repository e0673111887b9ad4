import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ServiceLock } from '../../../ports/service-lock.port.js';
import { privateDatabase, privateDirectory } from '../../files/private-files.js';

/** SQLite's own lock on an empty file, which the operating system releases when the process dies. */
export class EmbeddedServiceLock extends ServiceLock {
  private database: DatabaseSync | undefined;

  constructor(private readonly directory: string) {
    super();
  }

  override async acquire(): Promise<void> {
    if (this.database !== undefined) return;
    privateDirectory(this.directory);
    const path = join(this.directory, 'service.lock');
    privateDatabase(path);
    const database = new DatabaseSync(path, { timeout: 0 });
    try {
      database.exec('BEGIN EXCLUSIVE');
    } catch {
      database.close();
      throw new Error(
        'The service is running on this data directory; stop it first, or choose another directory with DATA_DIR.',
      );
    }
    this.database = database;
  }

  override release(): void {
    this.database?.close();
    this.database = undefined;
  }
}
