import { Operation } from '../../../engine/operation/operation.js';

@Operation('audit/getSeal', {
  summary: 'Returns the last signed head of the audit’s hash chain, to be kept where nobody of this service can write.',
  source: 'Supplementary, audit',
  group: 'audit',
  effect: 'query',
  permission: 'audit.read',
  // An export holds everything, what a project keeps from agents as well.
  callers: ['person', 'connection', 'automation', 'flow'],
  tools: 'never',
  answers: {
    fields: {
      head: {
        type: 'object',
        nullable: true,
        description:
          '{ format, workspaceId, previous: { count, head }, count, head, kinds, signedAt, publicKey, signature }; null before the first.',
      },
      publicKey: { type: 'string', description: 'What this service signs heads with: Ed25519, 32 bytes in base64url.' },
      fingerprint: { type: 'string', description: 'SHA-256 of the public key, hex.' },
    },
  },
})
export class GetSeal {}
