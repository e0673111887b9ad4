import type { AppUserEvent } from '../../src/areas/app-users/app-user/app-user.record.js';
import { type RoleAssignment, roleAssignmentId } from '../../src/areas/app-users/role/role-assignment.record.js';
import type { Recorded } from '../../src/kernel/event/event.js';
import { parseStream } from '../../src/kernel/event/stream-name.js';
import { type On, projection, put, remove, removeWhere } from '../../src/kernel/record/projection.js';

const collection = 'roleAssignments';

const on: On<Recorded<AppUserEvent>> = {
  AppUserRoleAssigned: ({ stream, data: { projectId, roleId } }) => {
    const { workspaceId, id: userId } = parseStream(stream);
    const id = roleAssignmentId(userId, roleId);
    return [put<RoleAssignment>(collection, { id, workspaceId, projectId, userId, roleId })];
  },
  AppUserRoleUnassigned: ({ stream, data: { roleId } }) => [
    remove(collection, roleAssignmentId(parseStream(stream).id, roleId)),
  ],
  AppUserDeleted: ({ stream }) => [removeWhere(collection, { userId: parseStream(stream).id })],
};

export const roleAssignmentsProjection = projection({
  name: collection,
  version: 1,
  collections: { [collection]: { indexes: [{ fields: ['workspaceId', 'roleId'] }, { fields: ['userId'] }] } },
  on,
});
