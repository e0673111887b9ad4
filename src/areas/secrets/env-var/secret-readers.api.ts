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
 * A secret that functions with Full data access read must not be deleted. The functions area registers itself here at
 * start.
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
