import type { FunctionOwnerKind } from '../../../kernel/function-owner.js';
import type { Document } from '../../../kernel/projection.js';
import type { Undoing } from '../../../kernel/undoing.js';
import { touched } from './function-undo.js';

const operationsOf = {
  workspace: { area: 'automations', update: 'updateFunction', make: 'createFunction', end: 'deleteFunction' },
  project: {
    area: 'site',
    update: 'updateBackendFunction',
    make: 'createBackendFunction',
    end: 'deleteBackendFunction',
  },
} as const;

/** What of a function does not come back as it was. */
interface Returning extends Document {
  readonly isActive: boolean;
  readonly capabilities: readonly unknown[];
  readonly secrets: readonly unknown[];
  readonly undo: object | null;
  readonly updatedAt: string;
}

/** Powers and secrets do not come back with a function: they are asked for again. */
export function functionUndoing<Fn extends Returning>(owner: FunctionOwnerKind): Undoing<Fn> {
  const { area, update, make, end } = operationsOf[owner];
  const secrets = `${area}/setFunctionSecrets`;
  return {
    sets: [`${area}/${update}`, secrets],
    makes: `${area}/${make}`,
    ends: `${area}/${end}`,
    otherwise: 'Save, publish or roll back a version; powers are given and taken by setFunctionCapabilities.',
    returns: {
      type: 'FunctionRestored',
      as: (fn, at) => ({
        ...fn,
        capabilities: [],
        secrets: [],
        isActive: fn.isActive && fn.capabilities.length === 0 && fn.secrets.length === 0,
        ...touched(fn, at),
      }),
      asks: [
        { field: 'secrets', operation: secrets },
        { field: 'capabilities', operation: `${area}/setFunctionCapabilities` },
      ],
    },
  };
}
