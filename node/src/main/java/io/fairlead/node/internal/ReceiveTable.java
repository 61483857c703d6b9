package io.fairlead.node.internal;

import io.fairlead.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The receives that wait for a message, in the order in which they were called. Belongs to a loop's thread.
 *
 * <p>Thousands of threads may each wait for a tag of their own, so receives that compare whole tags are found by a hash of tag
 * and peer. Those with a mask are few and are tried one by one.
 */
final class ReceiveTable {
    private static final int FEWEST_CHAINS = 16;
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    /** A receive's place. */
    static final class Entry {
        final NodeReceive receive;
        /** Order of the calls, kept when a receive has to go on waiting. */
        final long sequence;

        private @Nullable Entry previous;
        private @Nullable Entry next;

        private Entry(NodeReceive receive, long sequence) {
            this.receive = receive;
            this.sequence = sequence;
        }
    }

    private static final class Chain {
        @Nullable Entry first;

        @Nullable Entry last;
    }

    private Chain[] exact = chains(FEWEST_CHAINS);
    private final Chain masked = new Chain();
    private long sequence;
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    /** Makes the place of a receive, behind all others; {@link #insert} puts the receive there. */
    Entry enter(NodeReceive receive) {
        return new Entry(receive, sequence++);
    }

    /** The same place again, for a receive whose message never came. */
    Entry renew(Entry entry) {
        return new Entry(entry.receive, entry.sequence);
    }

    /** Lets a receive wait in its place. */
    void insert(Entry entry) {
        size++;
        if (size > 2 * exact.length) {
            grow();
        }
        append(chain(entry.receive), entry);
    }

    /** Takes out the earliest receive that the message matches and that has not been withdrawn; it is then matched. */
    @Nullable Entry match(NodePeer source, long tag) {
        for (Entry entry = first(source, tag); entry != null; entry = first(source, tag)) {
            remove(entry);
            if (entry.receive.tryMatch()) {
                return entry;
            }
        }
        return null;
    }

    /** Takes out a receive, if it is here. */
    void remove(NodeReceive receive) {
        Entry entry = find(receive);
        if (entry != null) {
            remove(entry);
        }
    }

    boolean contains(NodeReceive receive) {
        return find(receive) != null;
    }

    private @Nullable Entry find(NodeReceive receive) {
        for (Entry entry = chain(receive).first; entry != null; entry = entry.next) {
            if (entry.receive == receive) {
                return entry;
            }
        }
        return null;
    }

    /** Takes out the receives that satisfy a condition, in the order of their calls. */
    List<NodeReceive> removeIf(Predicate<NodeReceive> condition) {
        List<Entry> found = new ArrayList<>();
        forEach(entry -> {
            if (condition.test(entry.receive)) {
                found.add(entry);
            }
        });
        found.forEach(this::remove);
        found.sort((a, b) -> Long.compare(a.sequence, b.sequence));
        return found.stream().map(entry -> entry.receive).toList();
    }

    private @Nullable Entry first(NodePeer source, long tag) {
        Entry ofPeer = firstExact(source, tag);
        Entry ofAny = firstExact(null, tag);
        Entry earliest = earlier(ofPeer, ofAny);
        for (Entry entry = masked.first; entry != null; entry = entry.next) {
            if (entry.receive.accepts(source, tag)) {
                return earlier(earliest, entry);
            }
        }
        return earliest;
    }

    private @Nullable Entry firstExact(@Nullable NodePeer peer, long tag) {
        for (Entry entry = exact[index(peer, tag)].first; entry != null; entry = entry.next) {
            if (entry.receive.tag == tag && entry.receive.peer == peer) {
                return entry;
            }
        }
        return null;
    }

    private static @Nullable Entry earlier(@Nullable Entry a, @Nullable Entry b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        return a.sequence < b.sequence ? a : b;
    }

    /** Keeps a chain in order; at its end unless a receive is put back. */
    private static void append(Chain chain, Entry entry) {
        Entry before = chain.last;
        while (before != null && before.sequence > entry.sequence) {
            before = before.previous;
        }
        Entry after = before == null ? chain.first : before.next;
        entry.previous = before;
        entry.next = after;
        if (before == null) {
            chain.first = entry;
        } else {
            before.next = entry;
        }
        if (after == null) {
            chain.last = entry;
        } else {
            after.previous = entry;
        }
    }

    private void remove(Entry entry) {
        Chain chain = chain(entry.receive);
        Entry before = entry.previous;
        Entry after = entry.next;
        if (before == null) {
            chain.first = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            chain.last = before;
        } else {
            after.previous = before;
        }
        entry.previous = null;
        entry.next = null;
        size--;
    }

    private void grow() {
        List<Entry> moved = new ArrayList<>();
        for (Chain chain : exact) {
            collect(chain, moved::add);
        }
        exact = chains(2 * exact.length);
        // Entries of one chain stay in order among themselves, and a new chain gets those of one old chain only.
        for (Entry entry : moved) {
            append(chain(entry.receive), entry);
        }
    }

    private void forEach(Consumer<Entry> action) {
        for (Chain chain : exact) {
            collect(chain, action);
        }
        collect(masked, action);
    }

    private static void collect(Chain chain, Consumer<Entry> action) {
        Entry entry = chain.first;
        while (entry != null) {
            Entry after = entry.next;
            action.accept(entry);
            entry = after;
        }
    }

    private Chain chain(NodeReceive receive) {
        return receive.mask == Worker.FULL_TAG_MASK ? exact[index(receive.peer, receive.tag)] : masked;
    }

    private int index(@Nullable NodePeer peer, long tag) {
        long mixed = (tag + 31L * System.identityHashCode(peer)) * SPREAD;
        return (int) (mixed >>> 32) & (exact.length - 1);
    }

    private static Chain[] chains(int count) {
        Chain[] chains = new Chain[count];
        for (int i = 0; i < count; i++) {
            chains[i] = new Chain();
        }
        return chains;
    }
}
