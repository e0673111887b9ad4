import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { Refusal } from '../../../kernel/refusal.js';
import { isGuessable } from '../../../secret-text/guessable.js';
import { checkEnvVar, setEnvVar } from './env-var.js';
import { envVarRecord, type KeptEnvVar, SetEnvVar } from './env-var.operations.js';
import { type EnvVarEvent, envVars } from './env-var.record.js';
import { EnvVarValues } from './env-var-values.api.js';

const guessableWarning =
  'This value could be found by trying: whoever edits a function or a flow that may use it can learn it over many runs. ' +
  'One of 20 random characters or more could not.';

/**
 * First the value is stored in the vault, then the event that refers to it is recorded, then the old value is
 * destroyed. If the process dies in between, the saga that follows the event does the rest.
 */
@CommandHandler(SetEnvVar)
export class SetEnvVarHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly values: EnvVarValues,
  ) {}

  async execute(command: SetEnvVar): Promise<KeptEnvVar> {
    const call = callOf(command);
    const { value, ...given } = checkEnvVar(command);
    const input = { ...given, guessable: isGuessable(value) };
    const valueId = call.newId('val');
    await this.values.draft(call.workspaceId, valueId, value);
    let decided: readonly EnvVarEvent[] = [];
    try {
      const envVar = await this.runner.change(call, {
        aggregate: envVars,
        id: input.name,
        begins: 'perhaps',
        decide: (before) => {
          decided = setEnvVar(before, input, valueId);
          return decided;
        },
      });
      for (const event of decided) await this.values.follow(call.workspaceId, event);
      if (envVar === undefined) return envVars.missing();
      return { ...envVarRecord(envVar), ...(input.guessable ? { warning: guessableWarning } : {}) };
    } catch (error) {
      // A refusal recorded nothing, so discard the draft. After other errors the outcome is unknown; an unused draft
      // expires.
      if (error instanceof Refusal) await this.values.discard(call.workspaceId, valueId);
      throw error;
    }
  }
}
