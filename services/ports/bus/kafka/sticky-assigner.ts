import { AssignerProtocol, type GroupMember, type PartitionAssigner } from './kafka-client.js';

/** A partition by its topic's name in the cluster. */
export type ClusterPartition = readonly [topic: string, partition: number];

interface Claim {
  readonly memberId: string;
  /** What the member has now, what it would least like to lose first. */
  readonly owned: readonly ClusterPartition[];
}

const protocolName = 'sluice-sticky';
const protocolVersion = 0;

/**
 * Shares partitions out evenly and otherwise leaves them where they are: what moves is handled again by its new owner,
 * so long work goes last. `owned` tells what this member has, what it would least like to lose first.
 */
export const stickyAssigner =
  (owned: () => readonly ClusterPartition[]): PartitionAssigner =>
  ({ cluster }) => ({
    name: protocolName,
    version: protocolVersion,
    protocol: ({ topics }) => ({
      name: protocolName,
      metadata: AssignerProtocol.MemberMetadata.encode({
        version: protocolVersion,
        topics,
        userData: Buffer.from(JSON.stringify(owned())),
      }),
    }),
    async assign({ members, topics }) {
      const partitions = topics.flatMap((topic) =>
        cluster.findTopicPartitionMetadata(topic).map(({ partitionId }): ClusterPartition => [topic, partitionId]),
      );
      return [...share(partitions, members.map(claimOf))].map(([memberId, assigned]) => {
        const assignment: Record<string, number[]> = {};
        for (const [topic, partition] of assigned) (assignment[topic] ??= []).push(partition);
        const memberAssignment = { version: protocolVersion, assignment, userData: Buffer.alloc(0) };
        return { memberId, memberAssignment: AssignerProtocol.MemberAssignment.encode(memberAssignment) };
      });
    },
  });

/** Deals partitions out: no member has two more than another, and as many as possible stay. */
export function share(
  partitions: readonly ClusterPartition[],
  claims: readonly Claim[],
): ReadonlyMap<string, readonly ClusterPartition[]> {
  const free = new Map(partitions.map((partition) => [String(partition), partition]));
  const kept = claims
    .toSorted((a, b) => (a.memberId < b.memberId ? -1 : 1))
    .map(({ memberId, owned }) => {
      const valid = owned.filter((partition) => free.delete(String(partition)));
      return { memberId, partitions: valid };
    })
    // Those with most may have the one more that some must have.
    .toSorted((a, b) => b.partitions.length - a.partitions.length);
  const least = Math.floor(partitions.length / kept.length);
  const withOneMore = partitions.length % kept.length;
  const quotas = kept.map((_, index) => (index < withOneMore ? least + 1 : least));
  kept.forEach((member, index) => {
    for (const partition of member.partitions.splice(quotas[index] ?? least)) free.set(String(partition), partition);
  });
  const left = [...free.values()];
  kept.forEach((member, index) => {
    member.partitions.push(...left.splice(0, (quotas[index] ?? least) - member.partitions.length));
  });
  return new Map(kept.map(({ memberId, partitions: assigned }) => [memberId, assigned]));
}

/** What cannot be read claims nothing. */
function claimOf({ memberId, memberMetadata }: GroupMember): Claim {
  try {
    const userData = AssignerProtocol.MemberMetadata.decode(memberMetadata)?.userData;
    const owned: unknown = JSON.parse(userData?.toString() ?? '[]');
    return { memberId, owned: Array.isArray(owned) ? owned.filter(isPartition) : [] };
  } catch {
    return { memberId, owned: [] };
  }
}

const isPartition = (value: unknown): value is ClusterPartition =>
  Array.isArray(value) && value.length === 2 && typeof value[0] === 'string' && Number.isInteger(value[1]);
