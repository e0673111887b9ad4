import { AssignerProtocol, type PartitionAssigner } from 'kafkajs';
import { stickyShares } from './sticky-shares.js';

export interface Holdings {
  assignedPartitions(topic: string): readonly number[];
  /**
   * Called once per attempt to join the consumer group. After a failed attempt, the member can have lost its
   * partitions to other members.
   */
  joining(): void;
}

const { MemberMetadata, MemberAssignment } = AssignerProtocol;

export function stickyAssigner(holdings: Holdings): PartitionAssigner {
  const name = 'CountersignSticky';
  const version = 1;
  return ({ cluster }) => ({
    name,
    version,
    protocol({ topics }) {
      holdings.joining();
      const assigned = Object.fromEntries(topics.map((topic) => [topic, holdings.assignedPartitions(topic)]));
      const userData = Buffer.from(JSON.stringify(assigned));
      return { name, metadata: MemberMetadata.encode({ version, topics, userData }) };
    },
    async assign({ members, topics }) {
      const claims = members.map(({ memberId, memberMetadata }) => ({
        memberId,
        assigned: assignedIn(memberMetadata),
      }));
      const assigned = new Map(members.map(({ memberId }) => [memberId, {} as Record<string, number[]>]));
      for (const topic of topics) {
        const partitions = cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId);
        const previous = new Map(claims.map((claim) => [claim.memberId, claim.assigned[topic] ?? []]));
        for (const [memberId, share] of stickyShares(partitions, previous)) {
          Object.assign(assigned.get(memberId) ?? {}, { [topic]: [...share] });
        }
      }
      return [...assigned].map(([memberId, assignment]) => ({
        memberId,
        memberAssignment: MemberAssignment.encode({ version, assignment, userData: Buffer.alloc(0) }),
      }));
    },
  });
}

function assignedIn(metadata: Buffer): Readonly<Record<string, readonly number[]>> {
  try {
    return JSON.parse(MemberMetadata.decode(metadata)?.userData.toString('utf8') ?? '{}');
  } catch {
    return {};
  }
}
