import type { RuleDecision } from '../../../kernel/judging/decision.js';
import type { Facts } from '../../../kernel/judging/facts.js';
import type { ChannelRules, SiteRules } from '../../access/site-rules/site-rules.record.js';
import type { Table } from '../../bases/table/table.record.js';
import type { FunctionDocument } from '../../functions/function/function.record.js';

export interface RuleHome {
  readonly category: string;
  readonly id: string;
  readonly place: Facts['place'];
  read(state: unknown): { readonly name: string; readonly condition: unknown };
}

export function homeOf({ place: resource, projectId }: Pick<RuleDecision, 'place' | 'projectId'>): RuleHome {
  const { id, operation } = resource;
  switch (resource.kind) {
    case 'function':
      return { category: 'siteFunction', id, place: 'function', read: executeRule };
    case 'account-function':
      return { category: 'function', id, place: 'account-function', read: executeRule };
    case 'email':
      return {
        category: 'siteRules',
        id,
        place: 'email',
        read: (state) => ({ name: 'email', condition: (state as SiteRules).email?.send ?? null }),
      };
    case 'channel':
      return {
        category: 'siteRules',
        id: projectId,
        place: 'channel',
        read: (state) => {
          const saved = (state as SiteRules).channels.find(({ pattern }) => pattern === id);
          return { name: id, condition: saved?.accessRules[operation as keyof ChannelRules] ?? null };
        },
      };
    case 'proxy':
      return {
        category: 'siteRules',
        id,
        place: 'proxy',
        read: (state) => ({ name: 'server proxy', condition: (state as SiteRules).proxy?.execute ?? null }),
      };
    case 'table':
      return {
        category: 'table',
        id,
        place: 'table',
        read: (state) => {
          const { name, accessRules } = state as Table;
          return { name, condition: accessRules[operation as keyof Table['accessRules']] ?? null };
        },
      };
    case 'field':
      return {
        category: 'table',
        id: resource.tableId ?? '',
        place: 'table',
        read: (state) => {
          const { name, fields } = state as Table;
          const field = fields.find((one) => one.id === id);
          const condition = field?.accessRules[operation === 'write' ? 'write' : 'read'] ?? null;
          return { name: `${name}.${field?.name ?? id}`, condition };
        },
      };
  }
}

function executeRule(state: unknown) {
  const { name, accessRules } = state as FunctionDocument;
  return { name, condition: accessRules.execute ?? null };
}
