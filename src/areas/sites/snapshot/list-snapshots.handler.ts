import { QueryHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { ListSnapshots } from './snapshot.operations.js';
import { Snapshots } from './snapshots.js';

@QueryHandler(ListSnapshots)
export class ListSnapshotsHandler {
  constructor(private readonly snapshots: Snapshots) {}

  execute(input: ListSnapshots) {
    return this.snapshots.list(callOf(input), input);
  }
}
