import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Authority } from '../egress/certificates.js';
import type { ClientListener } from './real-cluster.js';

/** Creates listeners with TLS. The certificates of their own authority are files that brokers and clients read. */
export class SecureListeners {
  private readonly folder = mkdtempSync(join(tmpdir(), 'kafka-tls-'));
  private readonly authority = new Authority('Brokers');
  readonly ca = this.file('ca.pem', this.authority.cert);

  /** Returns a listener with TLS and passwords. Only `admin` has any rights until others are granted some. */
  scram(users: Readonly<Record<string, string>>): ClientListener {
    const module = 'org.apache.kafka.common.security.scram.ScramLoginModule required;';
    const format = Object.entries(users).flatMap(([name, password]) => [
      '--add-scram',
      `SCRAM-SHA-512=[name=${name},password=${password}]`,
    ]);
    const properties = [
      ...this.tls(),
      'sasl.enabled.mechanisms=SCRAM-SHA-512',
      `listener.name.clients.scram-sha-512.sasl.jaas.config=${module}`,
      'authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      // Brokers and controllers connect to one another without a name.
      'super.users=User:ANONYMOUS;User:admin',
    ];
    return { protocol: 'SASL_SSL', properties, format };
  }

  /** Returns a listener with TLS for clients that have a certificate of the authority. */
  clientCertificates(): ClientListener {
    const properties = [
      ...this.tls(),
      'ssl.client.auth=required',
      'ssl.truststore.type=PEM',
      `ssl.truststore.location=${this.ca}`,
    ];
    return { protocol: 'SSL', properties };
  }

  /** Returns a certificate and key for a client. */
  client(name: string, authority = this.authority): { readonly cert: string; readonly key: string } {
    const { cert, key } = authority.issue({ hosts: [name] });
    return { cert: this.file(`${name}.cert.pem`, cert), key: this.file(`${name}.key.pem`, key) };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private tls(): readonly string[] {
    const { cert, key } = this.authority.issue({ hosts: ['127.0.0.1'] });
    return ['ssl.keystore.type=PEM', `ssl.keystore.location=${this.file('broker.pem', `${key}${cert}`)}`];
  }

  private file(name: string, content: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  }
}
