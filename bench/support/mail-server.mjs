// A mail server on loopback with STARTTLS and sign-in, which accepts every mail. Prints its port and the path of its
// issuer's certificate.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { Authority } from '../../test/support/egress/certificates.ts';

const authority = new Authority('Mail server of the bench');
const ca = join(mkdtempSync(join(tmpdir(), 'countersign-bench-mail-')), 'ca.pem');
writeFileSync(ca, authority.cert);
const server = new SMTPServer({
  ...authority.issue({ hosts: ['127.0.0.1'] }),
  disableReverseLookup: true,
  onAuth: (_auth, _session, done) => done(null, { user: 'robot' }),
  onData: (stream, _session, done) => {
    stream.resume();
    stream.once('end', () => done());
  },
});
server.on('error', () => undefined);
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: server.server.address().port, ca })}\n`);
});
