import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { Refusal } from '../../../kernel/refusal.js';
import { isGuessable } from '../../../secret-text/guessable.js';
import { checkEnvVar, setEnvVar } from './env-var.js';
import { envVarRecord, type KeptEnvVar, SetEnvVar } from './env-var.operations.js';
import { type EnvVarEvent, envVars } from './env-var.record.js';
import { EnvVarValues } from './env-var-values.js';

const guessableWarning =
  'This value could be found by trying: whoever edits a function or a flow that may use it can learn it over many runs. ' +
  'One of 20 random characters or more could not.';

/**
 * The value goes to the vault, the event that refers to it to the log, and then the value before it goes. Whoever dies
 * in between leaves the rest to the saga that reads the event.
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
      // A no recorded nothing. After any other error nobody here knows, and a draft that was not recorded goes by itself.
      if (error instanceof Refusal) await this.values.discard(call.workspaceId, valueId);
      throw error;
    }
  }
}
