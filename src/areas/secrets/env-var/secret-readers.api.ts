import { Injectable } from '@nestjs/common';

/** A function that reads a secret. */
export interface SecretReader {
  readonly id: string;
  readonly name: string;
}

export interface ReadSecret {
  readonly workspaceId: string;
  readonly name: string;
  /** The site that the secret belongs to. Left out: the workspace. */
  readonly projectId?: string;
}

export type FindReaders = (secret: ReadSecret) => Promise<readonly SecretReader[]>;

/** Finds what has Full data access and reads a secret, which therefore may not be deleted. The area with the code registers at start. */
@Injectable()
export class SecretReaders {
  private readonly finders: FindReaders[] = [];

  register(find: FindReaders): void {
    this.finders.push(find);
  }

  async of(secret: ReadSecret): Promise<readonly SecretReader[]> {
    return (await Promise.all(this.finders.map((find) => find(secret)))).flat();
  }
}
