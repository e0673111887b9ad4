import { query } from '../../../engine/operation/bound-operation.js';
import { fingerprintOf } from '../../../kernel/audit-chain/signed-head.js';
import { RecordedSeals } from './recorded-seals.js';
import { SealKey } from './seal-key.api.js';

export const sealOperations = [
  // The call is not recorded as a reading of the audit, because the answer contains no audit events.
  query('audit/getSeal', {
    summary:
      'Returns the last signed head of the audit’s hash chain. Store it where no one with access to this service can write.',
    source: 'Supplementary, audit',
    group: 'audit',
    permission: 'audit.read',
    // Agents may not export the audit, because it contains everything, even records that a project hides from agents.
    callers: ['person', 'connection', 'automation', 'flow'],
    tools: 'never',
    answers: {
      fields: {
        head: {
          type: 'object',
          nullable: true,
          description:
            '{ format, workspaceId, previous: { count, head }, count, head, kinds, signedAt, publicKey, signature }. null if no head has been signed yet.',
        },
        publicKey: {
          type: 'string',
          description: 'Public key with which this service signs heads: Ed25519, 32 bytes in base64url.',
        },
        fingerprint: { type: 'string', description: 'SHA-256 of the public key, in hexadecimal.' },
      },
    },
    input: {},
    inject: [RecordedSeals, SealKey],
    handle: async (_, { workspaceId }, seals, key) => {
      const seal = await seals.last(workspaceId);
      const { publicKey } = key.signing;
      return { head: seal?.data.head ?? null, publicKey, fingerprint: fingerprintOf(publicKey) };
    },
  }),
];
