import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Authority } from '../egress/certificates.js';

/** Creates a certificate and its key as files. */
export function makeCertificate(host = 'mail.localhost'): { cert: string; key: string; remove(): void } {
  const directory = mkdtempSync(join(tmpdir(), 'countersign-tls-'));
  const { cert, key } = new Authority('Mail').issue({ hosts: [host] });
  const paths = { cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem') };
  writeFileSync(paths.cert, cert);
  writeFileSync(paths.key, key, { mode: 0o600 });
  return { ...paths, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
