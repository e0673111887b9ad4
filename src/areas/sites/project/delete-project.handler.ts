import { CommandHandler } from '@nestjs/cqrs';
import { alongside } from '../../../engine/commands/alongside.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { bases } from '../../bases/base/base.record.js';
import { deleteProject } from './project.js';
import { DeleteProject } from './project.operations.js';
import { type Project, projects } from './project.record.js';
import { giveSlotBack } from './project-slots.js';
import { projectSlots } from './project-slots.record.js';

/** The base ends with the project. A saga then ends everything else that belongs to it. */
@CommandHandler(DeleteProject)
export class DeleteProjectHandler {
  constructor(private readonly runner: CommandRunner) {}

  async execute(input: DeleteProject): Promise<{ readonly success: true }> {
    const call = callOf(input);
    await this.runner.change(call, {
      aggregate: projects,
      id: input.id,
      decide: deleteProject,
      alongside: (project) => [
        alongside({
          aggregate: projectSlots,
          id: call.workspaceId,
          decide: (slots) => giveSlotBack(slots, input.id),
        }),
        alongside({
          aggregate: bases,
          id: (project ?? missing()).linkedBaseId,
          decide: (base) => (base ? [{ type: 'BaseDeleted' as const, data: {} }] : []),
        }),
      ],
    });
    return { success: true };
  }
}

const missing = (): Project => projects.missing();
