import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { Refusal } from '../../../kernel/refusal.js';
import { type EnvVarEvent, envVars } from './env-var.events.js';
import { checkEnvVar, setEnvVar } from './env-var.js';
import { type EnvVarRecord, envVarRecord, SetEnvVar } from './env-var.operations.js';
import { EnvVarValues } from './env-var-values.js';

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

  async execute(command: SetEnvVar): Promise<EnvVarRecord> {
    const call = callOf(command);
    const { value, ...input } = checkEnvVar(command);
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
      return envVar ? envVarRecord(envVar) : envVars.missing();
    } catch (error) {
      // A no recorded nothing. After any other error nobody here knows, and a draft that was not recorded goes by itself.
      if (error instanceof Refusal) await this.values.discard(call.workspaceId, valueId);
      throw error;
    }
  }
}
