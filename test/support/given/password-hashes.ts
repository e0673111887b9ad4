import type { Provider } from '@nestjs/common';
import { ScryptPasswordHash } from '../../../src/adapters/password-hash/scrypt/scrypt-password-hash.adapter.js';
import { PasswordHash } from '../../../src/ports/offloaded/password-hash.port.js';

const passwordHash = (make: () => PasswordHash): Provider => ({ provide: PasswordHash, useFactory: make });

/** Hashes passwords as the service does, but at a cost low enough for tests with many users. */
export const quickPasswords = passwordHash(() => new ScryptPasswordHash({ ln: 4, r: 8, p: 1 }));

/** Hashes passwords at the service's own cost, for tests in which many callers wait for a hash. */
export const slowPasswords = passwordHash(() => new ScryptPasswordHash());
