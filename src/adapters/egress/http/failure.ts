import { EgressFailed, type EgressFailureKind } from '../../../ports/network/egress.port.js';

type Failure = readonly [kind: EgressFailureKind, sentence: (host: string) => string];

const refused: Failure = ['connection-refused', (host) => `The host '${host}' refuses connections; check the port.`];
const away: Failure = ['unreachable', (host) => `The host '${host}' cannot be reached from here; try again later.`];
const reset: Failure = ['reset', (host) => `The host '${host}' closed the connection; try again.`];
const headers: Failure = [
  'too-large',
  (host) => `The headers of the response of '${host}' are too large; request fewer.`,
];
const notHttp: Failure = ['protocol', (host) => `The host '${host}' does not respond in HTTP/1.1; check the address.`];

const byCode: ReadonlyMap<string, Failure> = new Map([
  ['ECONNREFUSED', refused],
  ...['ENETUNREACH', 'EHOSTUNREACH', 'ENETDOWN', 'EHOSTDOWN'].map((code) => [code, away] as const),
  ...['ETIMEDOUT', 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL', 'EACCES', 'EPERM'].map((code) => [code, away] as const),
  ...['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'].map((code) => [code, reset] as const),
  ['HPE_HEADER_OVERFLOW', headers],
]);

const certificates: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
  CERT_REVOKED: 'was revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'comes from an issuer that is not trusted here',
  UNABLE_TO_GET_ISSUER_CERT: 'comes from an issuer that is not trusted here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'comes from an issuer that is not trusted here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'comes from an issuer that is not trusted here',
  CERT_UNTRUSTED: 'comes from an issuer that is not trusted here',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another host',
};

/**
 * Node's message can quote what was sent, so connection errors get a message of our own. Returns other errors
 * unchanged.
 */
export function egressFailureOf(error: unknown, host: string): unknown {
  const code = codeOf(error);
  const failure = byCode.get(code) ?? (code.startsWith('HPE_') ? notHttp : undefined);
  return failure === undefined ? error : new EgressFailed(failure[0], failure[1](host));
}

export function tlsFailureOf(error: unknown, host: string): unknown {
  const code = codeOf(error);
  if (code === '' || code === 'ABORT_ERR' || byCode.has(code)) return egressFailureOf(error, host);
  const why = certificateFault(code);
  if (why !== undefined)
    return new EgressFailed('tls', `The certificate of '${host}' ${why}; it must be corrected there.`);
  const sentence = `The TLS handshake with the host '${host}' failed (${code}); check the port and that it supports https.`;
  return new EgressFailed('tls', sentence);
}

/** Returns words that follow `The certificate of …`, or undefined for other codes. */
export function certificateFault(code: string): string | undefined {
  return Object.hasOwn(certificates, code) ? certificates[code] : undefined;
}

/** Not `instanceof Error`, because Jest runs tests in a realm with another Error class. */
function codeOf(error: unknown): string {
  const isCoded = typeof error === 'object' && error !== null && 'code' in error;
  return isCoded && typeof error.code === 'string' ? error.code : '';
}
