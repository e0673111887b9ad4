import type { FunctionOwnerKind } from '../../../kernel/callers/function-owner.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { Undoing } from '../../../kernel/record/undoing.js';
import { touched } from './function-undo.js';

const operationsOf = {
  workspace: {
    area: 'automations',
    update: 'updateFunction',
    updateData: undefined,
    rollBack: 'rollBackFunction',
    rules: undefined,
    make: 'createFunction',
    end: 'deleteFunction',
  },
  project: {
    area: 'site',
    update: 'updateBackendFunction',
    updateData: 'updateDataFunction',
    rollBack: 'rollBackBackendFunction',
    rules: 'setBackendFunctionAccessRules',
    make: 'createBackendFunction',
    end: 'deleteBackendFunction',
  },
} as const;

const partsOf = {
  workspace: ['code', 'grants', 'accessRules', 'toolSpec', 'timeout', 'maxRetries'],
  project: ['code', 'connections', 'accessRules', 'toolSpec', 'timeout', 'maxRetries'],
} as const;

interface Returning extends Document {
  readonly isActive: boolean;
  readonly capabilities: readonly unknown[];
  readonly secrets: readonly unknown[];
  readonly identityMode: string;
  readonly keepFixing?: object;
  readonly undo: object | null;
  readonly updatedAt: string;
}

/** A part that a person had to approve is not restored; its approval is requested again. */
export function functionUndoing<Fn extends Returning>(owner: FunctionOwnerKind): Undoing<Fn> {
  const { area, update, updateData, rollBack, rules, make, end } = operationsOf[owner];
  const secrets = `${area}/setFunctionSecrets`;
  return {
    sets: [
      {
        operation: `${area}/${rollBack}`,
        named: { versionId: 'liveVersionId' },
        follows: [...partsOf[owner], 'definition'],
        while: { versions: true },
      },
      // With the setting `versions` on, `update` changes only the draft, so it cannot restore the live definition.
      { operation: `${area}/${update}`, leaves: partsOf[owner], while: { versions: true } },
      { operation: `${area}/${update}`, while: { versions: false } },
      // Only this operation restores the definition of a data function. It does not give powers back.
      ...(updateData === undefined
        ? []
        : [{ operation: `${area}/${updateData}`, leaves: ['runAs'], while: { versions: false } }]),
      ...(rules === undefined
        ? []
        : [
            {
              operation: `${area}/${rules}`,
              also: { accessRules: 'draft.accessRules' },
              for: ['FunctionAccessRulesSet'],
            },
          ]),
      secrets,
    ],
    makes: `${area}/${make}`,
    ends: `${area}/${end}`,
    otherwise: 'Save, publish or roll back a version; powers are given and taken by setFunctionCapabilities.',
    returns: {
      type: 'FunctionRestored',
      as: ({ keepFixing: _, ...fn }, at) => ({
        ...(fn as Fn),
        identityMode: 'as_set_up',
        capabilities: [],
        secrets: [],
        isActive: fn.isActive && !needsApproval(fn),
        ...touched(fn, at),
      }),
      asks: [
        { field: 'identityMode', operation: `${area}/setFunctionIdentityMode`, as: 'mode' },
        { field: 'secrets', operation: secrets },
        { field: 'capabilities', operation: `${area}/setFunctionCapabilities` },
      ],
    },
  };
}

const needsApproval = ({ capabilities, secrets, identityMode }: Omit<Returning, 'keepFixing'>): boolean =>
  capabilities.length > 0 || secrets.length > 0 || identityMode !== 'as_set_up';
