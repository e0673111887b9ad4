import type { Decision } from '../../kernel/judging/decision.js';

/** Returns undefined if the format is unknown, or if the decision was too long to be encoded with all its members. */
export function decisionOf(bytes: Buffer): Decision | undefined {
  if (bytes.readUInt8(0) !== format) return undefined;
  const end = headBytes + bytes.readUInt16BE(1);
  return parsed(bytes.subarray(headBytes, end).toString(), bytes.subarray(end));
}

const format = 1;
const headBytes = 3;

/** If the decision is too long, its sentences are truncated first, and then outcomes are dropped from the end. */
export function decisionBytes(decision: Decision, mostBytes: number): Buffer {
  const { text, outcomes } = fitting(decision, mostBytes - headBytes);
  const head = Buffer.alloc(headBytes);
  head.writeUInt8(format, 0);
  head.writeUInt16BE(text.length, 1);
  return Buffer.concat([head, text, outcomes]);
}

interface Written {
  readonly text: Buffer;
  readonly outcomes: Buffer;
}

const mostSentence = 300;

function fitting(decision: Decision, room: number): Written {
  for (const most of [mostSentence, 100, 20]) {
    const text = Buffer.from(JSON.stringify(written(decision, most)));
    if (text.length <= room) return { text, outcomes: packed(decision, (room - text.length) * 4) };
  }
  // If the decision is still too long, only these members remain, and it cannot be explained later.
  const { kind, at, code } = decision;
  return { text: Buffer.from(JSON.stringify([kind, at, code.slice(0, 60)])), outcomes: packed(decision, 0) };
}

/** The order of the members is part of the format: members may be added at the end but never removed or moved. */
function written(decision: Decision, most: number): readonly unknown[] {
  const { kind, at, code } = decision;
  switch (decision.kind) {
    case 'right': {
      const { operation, asked, caller, sentence } = decision;
      const { permission, touches, takesAway, callers } = asked;
      const { kind: who, id, keyId, role, more, less, readOnly, neverDeletes } = caller;
      const flags = [touches, takesAway, readOnly, neverDeletes].map(Number).join('');
      return [
        kind,
        at,
        code,
        operation,
        permission,
        flags,
        callers,
        who,
        id,
        keyId,
        role,
        more,
        less,
        cut(sentence, most),
      ];
    }
    case 'rule': {
      const { projectId, place, userId, outcome, rule, policies, outcomes, problem } = decision;
      const { kind: of, id, operation, tableId, rowId } = place;
      const where = [of, id, operation, tableId, rowId];
      return [kind, at, code, projectId, where, userId, outcome, rule, policies, outcomes?.length, cut(problem, most)];
    }
    case 'power': {
      const { member, functionId, projectId, sentence, visitor } = decision;
      const who = visitor && [visitor.kind, visitor.id];
      return [kind, at, code, cut(member, 100), functionId, projectId, cut(sentence, most), who];
    }
  }
}

const letters = 'adof';

function packed(decision: Decision, most: number): Buffer {
  const all = decision.kind === 'rule' ? (decision.outcomes ?? '') : '';
  const stored = Math.min(all.length, most);
  const bytes = Buffer.alloc(Math.ceil(stored / 4));
  for (let at = 0; at < stored; at += 1) {
    const index = at >> 2;
    bytes[index] = (bytes[index] ?? 0) | (letters.indexOf(all.charAt(at)) << (2 * (at & 3)));
  }
  return bytes;
}

function parsed(text: string, bytes: Buffer): Decision | undefined {
  const [kind, at, code, ...rest] = JSON.parse(text);
  if (rest.length === 0) return undefined;
  const known = (members: object) =>
    Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));
  switch (kind as Decision['kind']) {
    case 'right': {
      const [operation, permission, flags, callers, who, id, keyId, role, more, less, sentence] = rest;
      const [touches, takesAway, readOnly, neverDeletes] = [...String(flags)].map((flag) => flag === '1');
      const asked = { permission, touches, takesAway, ...known({ callers }) };
      const caller = { kind: who, id, keyId, role, more, less, readOnly, neverDeletes };
      return { kind, at, code, operation, asked, caller, ...known({ sentence }) } as Decision;
    }
    case 'rule': {
      const [projectId, where, userId, outcome, rule, policies, count, problem] = rest;
      const [of, id, operation, tableId, rowId] = where ?? [];
      const place = { kind: of, id, operation, ...known({ tableId, rowId }) };
      const fit = typeof count === 'number' ? Math.min(count, bytes.length * 4) : 0;
      const outcomes = Array.from(
        { length: fit },
        (_, index) => letters[((bytes[index >> 2] ?? 0) >> (2 * (index & 3))) & 3],
      );
      const judged =
        typeof count === 'number' ? { outcomes: outcomes.join(''), ...(fit < count ? { judged: count } : {}) } : {};
      return {
        kind,
        at,
        code,
        projectId,
        place,
        userId,
        outcome,
        rule,
        ...known({ policies, problem }),
        ...judged,
      } as Decision;
    }
    case 'power': {
      const [member, functionId, projectId, sentence, who] = rest;
      const visitor = Array.isArray(who) ? { kind: who[0], id: who[1] } : undefined;
      return { kind, at, code, member, functionId, sentence, ...known({ projectId, visitor }) } as Decision;
    }
  }
}

const cut = (text: string | undefined, most: number) =>
  text !== undefined && text.length > most ? `${text.slice(0, most - 1)}…` : text;
