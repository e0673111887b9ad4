import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Decision } from '../../kernel/judging/decision.js';
import type { Vault } from '../../ports/vault.port.js';
import { decisionBytes, decisionOf } from './decision-bytes.js';

const prefix = 'dec_';
/** All decisions have the same size, so that an id's length reveals nothing about its decision. */
const sealedBytes = 480;
const nonceBytes = 12;
const tagBytes = 16;

export const sealedIdLength = prefix.length + Math.ceil(((nonceBytes + sealedBytes + tagBytes) * 4) / 3);

const mostKeys = 1_000;

/** An id is valid in one workspace, and only this installation can create or read it. */
export class SealedDecisions {
  private readonly keys = new Map<string, Buffer>();

  constructor(private readonly vault: Vault) {}

  seal(workspaceId: string, decision: Decision): string {
    const plain = Buffer.alloc(sealedBytes);
    decisionBytes(decision, sealedBytes).copy(plain);
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', this.keyOf(workspaceId), nonce);
    cipher.setAAD(Buffer.from(workspaceId));
    const sealed = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    return prefix + sealed.toString('base64url');
  }

  open(workspaceId: string, id: string): Decision | undefined {
    if (id.length !== sealedIdLength || !id.startsWith(prefix)) return undefined;
    const sealed = Buffer.from(id.slice(prefix.length), 'base64url');
    if (sealed.length !== nonceBytes + sealedBytes + tagBytes) return undefined;
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.keyOf(workspaceId), sealed.subarray(0, nonceBytes));
      decipher.setAAD(Buffer.from(workspaceId));
      decipher.setAuthTag(sealed.subarray(-tagBytes));
      return decisionOf(Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]));
    } catch {
      return undefined;
    }
  }

  private keyOf(workspaceId: string): Buffer {
    const known = this.keys.get(workspaceId);
    if (known !== undefined) return known;
    const tokens = [1, 2].map((half) => this.vault.derive(`decision-id-key/${workspaceId}/${half}`));
    const key = createHash('sha256').update(tokens.join(' ')).digest();
    if (this.keys.size >= mostKeys) this.keys.clear();
    this.keys.set(workspaceId, key);
    return key;
  }
}
