import { CommandHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { deleteEnvVar } from './env-var.js';
import { DeleteEnvVar } from './env-var.operations.js';
import { envVars } from './env-var.record.js';
import { SecretReaders } from './secret-readers.api.js';

/** The value is destroyed after the event. */
@CommandHandler(DeleteEnvVar)
export class DeleteEnvVarHandler {
  constructor(
    private readonly secrets: RecordedSecrets,
    private readonly readers: SecretReaders,
  ) {}

  async execute(input: DeleteEnvVar): Promise<{ success: true }> {
    const call = callOf(input);
    const readers = await this.readers.of({ workspaceId: call.workspaceId, name: input.name });
    await this.secrets.change(call, {
      aggregate: envVars,
      id: input.name,
      decide: (envVar) => (envVar ? deleteEnvVar(envVar, readers) : []),
    });
    return { success: true };
  }
}
