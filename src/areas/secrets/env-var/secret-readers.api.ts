import { Injectable } from '@nestjs/common';

export interface SecretReader {
  readonly id: string;
  readonly name: string;
}

export interface ReadSecret {
  readonly workspaceId: string;
  readonly name: string;
  readonly projectId?: string;
}

export type FindReaders = (secret: ReadSecret) => Promise<readonly SecretReader[]>;

/**
 * Finds the functions with Full data access that read a secret. Such a secret must not be deleted. The functions area
 * calls `register` at start.
 */
@Injectable()
export class SecretReaders {
  private readonly finders: FindReaders[] = [];

  register(find: FindReaders): void {
    this.finders.push(find);
  }

  async readersOf(secret: ReadSecret): Promise<readonly SecretReader[]> {
    return (await Promise.all(this.finders.map((find) => find(secret)))).flat();
  }
}
