import type { Provider } from '@nestjs/common';
import { ScryptPasswordHash } from '../../../src/adapters/password-hash/scrypt/scrypt-password-hash.adapter.js';
import { PasswordHash } from '../../../src/ports/offloaded/password-hash.port.js';

const passwordHash = (make: () => PasswordHash): Provider => ({ provide: PasswordHash, useFactory: make });

/** Hashes passwords as the service does, but at a cost that a test with many users can pay. */
export const quickPasswords = passwordHash(() => new ScryptPasswordHash({ ln: 4, r: 8, p: 1 }));

/** At the cost that the service pays, for tests of what happens while many wait for a hash. */
export const slowPasswords = passwordHash(() => new ScryptPasswordHash());
