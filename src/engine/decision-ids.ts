import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import type { Decision } from '../kernel/decision.js';
import type { Refusal } from '../kernel/refusal.js';
import { Vault } from '../ports/vault.port.js';

const prefix = 'dec_';
/** Every id is as long as any other, so that its length tells nothing of what was judged. */
const sealedBytes = 480;
const nonceBytes = 12;
const tagBytes = 16;
const headBytes = 3;
const room = sealedBytes - headBytes;
const format = 1;

export const decisionIdLength = prefix.length + Math.ceil(((nonceBytes + sealedBytes + tagBytes) * 4) / 3);

/** How long an id is answered, in milliseconds. */
export const decisionsKeptMs = 30 * 24 * 3_600_000;

/** What most decisions have in common, so that it takes no room. Part of the format: it may never change. */
const common = Buffer.from(
  '{"kind":"power","at":"2026-01-01T00:00:00.000Z","code":"power-missing","member":"ctx.service.functionId":"fn_' +
    '{"kind":"rule","code":"execute-refused","no-access-rules","row-not-allowed","field-not-writable","email-send-denied",' +
    '"projectId":"prj_","place":{"kind":"account-function","id":"fn_","operation":"execute"},"table","tableId":"tbl_",' +
    '"rowId":"row_","userId":"usr_","userId":null,"outcome":"denied","rule":"","policies":"","outcomes":"aaaddd","judged":' +
    '{"kind":"right","code":"read-only-key","key-never-deletes","caller-not-allowed","viewer-refused","permission-missing",' +
    '"operation":"workspace/site/automations/","asked":{"permission":"workspace.manage","members.manage","site.edit",' +
    '"functions.edit","touches":true,"takesAway":false,"callers":["person","connection"]},"caller":{"kind":"agent","id":"mem_' +
    '","keyId":"key_","role":"editor","viewer","more":[],"less":[],"readOnly":false,"neverDeletes":false},"sentence":"',
);

const mostKeys = 1_000;

/** That of a refusal by a right or an access rule. */
export function decisionIdIn({ facts }: Refusal): string | undefined {
  const { decisionId } = facts;
  return typeof decisionId === 'string' ? decisionId : undefined;
}

/**
 * The id of a decision holds the decision itself, sealed: it costs no store anything, works in every process and after
 * every restart, and only this installation can make or read one. One that was made for a workspace opens for no other.
 */
@Injectable()
export class DecisionIds {
  private readonly keys = new Map<string, Buffer>();

  constructor(private readonly vault: Vault) {}

  /** What does not fit is cut: sentences first, then what the last rules came to. */
  seal(workspaceId: string, decision: Decision): string {
    const text = fitting(decision);
    const plain = Buffer.alloc(sealedBytes);
    plain.writeUInt8(format, 0);
    plain.writeUInt16BE(text.length, 1);
    text.copy(plain, headBytes);
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', this.keyOf(workspaceId), nonce);
    cipher.setAAD(Buffer.from(workspaceId));
    const sealed = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    return prefix + sealed.toString('base64url');
  }

  /** Undefined for anything that was not made here for this workspace. */
  open(workspaceId: string, id: string): Decision | undefined {
    if (id.length !== decisionIdLength || !id.startsWith(prefix)) return undefined;
    const sealed = Buffer.from(id.slice(prefix.length), 'base64url');
    if (sealed.length !== nonceBytes + sealedBytes + tagBytes) return undefined;
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.keyOf(workspaceId), sealed.subarray(0, nonceBytes));
      decipher.setAAD(Buffer.from(workspaceId));
      decipher.setAuthTag(sealed.subarray(-tagBytes));
      const plain = Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]);
      if (plain.readUInt8(0) !== format) return undefined;
      const text = plain.subarray(headBytes, headBytes + plain.readUInt16BE(1));
      return JSON.parse(inflateRawSync(text, { dictionary: common, maxOutputLength: 64 * 1024 }).toString());
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

/** So many outcomes are tried at first: far more than fit. */
const mostOutcomes = 3_000;

function fitting(decision: Decision): Buffer {
  let next = shortened(decision, 300, mostOutcomes);
  for (let share = 1; ; share /= 2) {
    const text = packed(next);
    if (text.length <= room) return text;
    if (share < 1 / 4_096) return packed(bare(decision));
    next = shortened(decision, Math.floor(300 * share ** 2), Math.floor(mostOutcomes * share));
  }
}

const packed = (decision: Decision) => deflateRawSync(JSON.stringify(decision), { dictionary: common, memLevel: 6 });

function shortened(decision: Decision, sentence: number, outcomes: number): Decision {
  switch (decision.kind) {
    case 'right':
      return decision.sentence === undefined ? decision : { ...decision, sentence: cut(decision.sentence, sentence) };
    case 'power':
      return { ...decision, sentence: cut(decision.sentence, sentence) };
    case 'rule': {
      const { problem, outcomes: all } = decision;
      const judged = all !== undefined && all.length > outcomes ? { judged: all.length } : {};
      return {
        ...decision,
        ...(problem === undefined ? {} : { problem: cut(problem, sentence) }),
        ...(all === undefined ? {} : { outcomes: all.slice(0, outcomes), ...judged }),
      };
    }
  }
}

/** What is left when ids of the customer's own are too long: when, and what was refused. */
function bare(decision: Decision): Decision {
  const short = shortened(decision, 0, 0);
  switch (short.kind) {
    case 'right':
      return {
        ...short,
        caller: { ...short.caller, id: cut(short.caller.id, 60), keyId: cut(short.caller.keyId, 60) },
      };
    case 'power':
      return { ...short, functionId: cut(short.functionId, 60), member: cut(short.member, 60) };
    case 'rule':
      return { ...short, place: { ...short.place, id: cut(short.place.id, 60) } };
  }
}

const cut = (text: string, most: number) => (text.length > most ? `${text.slice(0, Math.max(0, most - 1))}…` : text);
