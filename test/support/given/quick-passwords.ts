import type { Provider } from '@nestjs/common';
import { ScryptPasswordHash } from '../../../src/adapters/password-hash/scrypt/scrypt-password-hash.adapter.js';
import { PasswordHash } from '../../../src/ports/offloaded/password-hash.port.js';

/** Hashes passwords as the service does, but at a cost that a test with many users can pay. */
export const quickPasswords: Provider = {
  provide: PasswordHash,
  useFactory: () => new ScryptPasswordHash({ ln: 4, r: 8, p: 1 }),
};
