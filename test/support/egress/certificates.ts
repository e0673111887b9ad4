import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { isIP } from 'node:net';

/** Encodes a DER element: a tag, a length and the content. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const octets = (content: Uint8Array) => der(0x04, content);
const bits = (content: Uint8Array) => der(0x03, Buffer.from([0]), content);
const integer = (value: number) => der(0x02, Buffer.from([value]));

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
const commonName = (name: string) => sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))));
const time = (at: Date) => der(0x17, Buffer.from(`${at.toISOString().replace(/\D/g, '').slice(2, 14)}Z`));
const extension = (id: string, content: Uint8Array) => sequence(oid(id), octets(content));
const isAuthority = extension('551d13', sequence(der(0x01, Buffer.from([0xff]))));
const isFor = (hosts: readonly string[]) => extension('551d11', sequence(...hosts.map(nameOf)));
const nameOf = (host: string) =>
  isIP(host) === 4 ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host));

const day = 86_400_000;

interface Wish {
  readonly hosts?: readonly string[];
  /** Start and end of the validity, in days from today. */
  readonly from?: number;
  readonly until?: number;
}

/** A certificate and its key in PEM, as TLS servers need them. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority. Each test run creates a new one. */
export class Authority implements Certificate {
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly key = pemOf(this.keys.privateKey);
  readonly cert: string;

  private readonly name: string;

  constructor(name: string) {
    this.name = name;
    this.cert = this.certificate(name, this.keys.publicKey, isAuthority, {});
  }

  issue({ hosts = [], ...more }: Wish): Certificate {
    const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const cert = this.certificate(hosts[0] ?? 'nobody', keys.publicKey, isFor(hosts), more);
    return { cert, key: pemOf(keys.privateKey) };
  }

  private certificate(subject: string, key: KeyObject, about: Uint8Array, { from = -1, until = 1 }: Wish): string {
    const today = Date.now();
    const content = sequence(
      der(0xa0, integer(2)),
      integer(1),
      ecdsaWithSha256,
      commonName(this.name),
      sequence(time(new Date(today + from * day)), time(new Date(today + until * day))),
      commonName(subject),
      key.export({ type: 'spki', format: 'der' }),
      der(0xa3, sequence(about)),
    );
    const signature = sign('sha256', content, this.keys.privateKey);
    const whole = sequence(content, ecdsaWithSha256, bits(signature)).toString('base64');
    return `-----BEGIN CERTIFICATE-----\n${whole.replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
  }
}

const pemOf = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
