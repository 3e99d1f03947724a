import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { share, type ClusterPartition } from '../../../../../services/ports/bus/kafka/sticky-assigner.js';

const partitions = (count: number): ClusterPartition[] => [...Array(count).keys()].map((number) => ['t', number]);

describe('sticky assigner', () => {
  it('gives every partition to one member, and no member two more than another', () => {
    const member = fc.array(fc.tuple(fc.constantFrom('t', 'gone'), fc.nat(15)), { maxLength: 20 });
    fc.assert(
      fc.property(fc.nat(14), fc.array(member, { minLength: 1, maxLength: 6 }), (count, members) => {
        const shared = share(
          partitions(count),
          members.map((owned, index) => ({ memberId: `m${index}`, owned })),
        );
        const given = [...shared.values()].flat().map(String);
        expect(given.toSorted()).toEqual(partitions(count).map(String).toSorted());
        const counts = [...shared.values()].map(({ length }) => length);
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('leaves with a member what it names first, and moves nothing without need', () => {
    const owned: ClusterPartition[] = [3, 0, 1, 2].map((number) => ['t', number]);
    const grown = share(partitions(4), [
      { memberId: 'new', owned: [] },
      { memberId: 'old', owned },
    ]);
    expect(grown.get('old')).toEqual([
      ['t', 3],
      ['t', 0],
    ]);
    const again = share(
      partitions(4),
      [...grown].map(([memberId, has]) => ({ memberId, owned: has })),
    );
    expect(again).toEqual(grown);
  });
});
