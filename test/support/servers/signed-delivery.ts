import { createHmac } from 'node:crypto';

/** For each kind of sender, a function that returns the headers for a body. `seconds` is the time since 1970. */
export const signedBy = {
  standard: (secret: string, body: string | Uint8Array, seconds: number, id = 'msg_1') => ({
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${sign(Buffer.from(secret.replace('whsec_', ''), 'base64'), 'base64', `${id}.${seconds}.`, body)}`,
  }),
  github: (secret: string, body: string | Uint8Array, delivery = 'guid-1') => ({
    'x-hub-signature-256': `sha256=${sign(secret, 'hex', '', body)}`,
    'x-github-delivery': delivery,
  }),
  stripe: (secret: string, body: string | Uint8Array, seconds: number) => ({
    'stripe-signature': `t=${seconds},v1=${sign(secret, 'hex', `${seconds}.`, body)}`,
  }),
};

export function sign(
  secret: string | Uint8Array,
  encoding: 'hex' | 'base64' | 'base64url',
  before: string,
  body: string | Uint8Array,
  algorithm = 'sha256',
): string {
  return createHmac(algorithm, secret).update(before).update(body).digest(encoding);
}
