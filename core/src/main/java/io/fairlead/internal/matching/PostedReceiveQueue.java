package io.fairlead.internal.matching;

import io.fairlead.Worker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The unmatched receives of one worker; a message takes the first posted one that matches.
 *
 * <p>Receives are in buckets by the bits that they compare, so thousands of outstanding tags need no search: one set
 * for the whole tag, and sets for up to {@link #MASKS_MAX} partial masks at a time. Receives with further masks are in
 * one list. Sequence numbers decide between them.
 *
 * @param <R> the engine's operations
 */
public final class PostedReceiveQueue<R extends PostedReceive> {
    /** The maximum number of partial masks with buckets at a time. */
    static final int MASKS_MAX = 8;

    private final PostedBuckets exact = new PostedBuckets(Worker.FULL_TAG_MASK);
    private final List<PostedBuckets> masked = new ArrayList<>(MASKS_MAX);
    /** Receives with other masks. */
    private final PostedList rest = new PostedList();

    private long maskedCount;
    private long nextSequence;
    private long count;
    private long bytes;
    private long attempts;

    /** Appends a receive. */
    public void post(R receive) {
        receive.sequence = nextSequence++;
        listFor(receive).append(receive);
        count++;
        bytes += receive.length();
    }

    private PostedList listFor(PostedReceive receive) {
        if (receive.tagMask == Worker.FULL_TAG_MASK) {
            return exact.of(receive.tag);
        }
        maskedCount++;
        PostedBuckets buckets = bucketsFor(receive.tagMask);
        if (buckets == null) {
            return rest;
        }
        buckets.count++;
        return buckets.of(receive.tag);
    }

    /** The buckets of a partial mask; null if all are in use for others. */
    private @Nullable PostedBuckets bucketsFor(long mask) {
        PostedBuckets found = bucketsOf(mask);
        if (found != null) {
            return found;
        }
        for (int i = 0; i < masked.size(); i++) {
            PostedBuckets unused = masked.get(i);
            if (unused.count == 0) {
                unused.mask = mask;
                return unused;
            }
        }
        if (masked.size() == MASKS_MAX) {
            return null;
        }
        PostedBuckets fresh = new PostedBuckets(mask);
        masked.add(fresh);
        return fresh;
    }

    private @Nullable PostedBuckets bucketsOf(long mask) {
        for (int i = 0; i < masked.size(); i++) {
            if (masked.get(i).mask == mask) {
                return masked.get(i);
            }
        }
        return null;
    }

    public boolean isEmpty() {
        return count == 0;
    }

    /** Removes a receive; false if a message has matched it already. */
    public boolean withdraw(PostedReceive receive) {
        PostedList list = receive.postedIn;
        if (list == null) {
            return false;
        }
        list.remove(receive);
        if (receive.tagMask != Worker.FULL_TAG_MASK) {
            removedMasked(receive, list);
        }
        count--;
        bytes -= receive.length();
        return true;
    }

    /** Removes the oldest receive that matches a message; null if there is none. */
    public @Nullable R match(MessageSource source, long tag) {
        PostedReceive oldest = first(exact.of(tag), source, tag);
        if (maskedCount > 0) {
            for (int i = 0; i < masked.size(); i++) {
                PostedBuckets buckets = masked.get(i);
                if (buckets.count > 0) {
                    oldest = older(oldest, first(buckets.of(tag), source, tag));
                }
            }
            oldest = older(oldest, first(rest, source, tag));
        }
        if (oldest == null) {
            return null;
        }
        withdraw(oldest);
        // Only an R is ever posted.
        @SuppressWarnings("unchecked")
        R matched = (R) oldest;
        return matched;
    }

    /** The oldest receive of a list that matches a message. */
    private @Nullable PostedReceive first(PostedList list, MessageSource source, long tag) {
        PostedReceive receive = list.first;
        while (receive != null) {
            attempts++;
            if (((receive.tag ^ tag) & receive.tagMask) == 0 && receive.takesFrom(source)) {
                return receive;
            }
            receive = receive.nextPosted;
        }
        return null;
    }

    private static @Nullable PostedReceive older(@Nullable PostedReceive one, @Nullable PostedReceive other) {
        return one == null || (other != null && other.sequence < one.sequence) ? other : one;
    }

    private void removedMasked(PostedReceive receive, PostedList from) {
        maskedCount--;
        PostedBuckets buckets = bucketsOf(receive.tagMask);
        // A receive may be older than the buckets of its mask.
        if (buckets != null && isIn(buckets, receive, from)) {
            buckets.count--;
        }
    }

    // Identity is intended: another list with equal receives is another list.
    @SuppressWarnings("ReferenceEquality")
    private static boolean isIn(PostedBuckets buckets, PostedReceive receive, PostedList list) {
        return buckets.of(receive.tag) == list;
    }

    /** The number of posted receives. */
    public long count() {
        return count;
    }

    /** The total capacity of their buffers. */
    public long bytes() {
        return bytes;
    }

    /** The number of comparisons of receives with messages. */
    public long attempts() {
        return attempts;
    }

    /** The receives that satisfy a condition, oldest first; for teardown, not for the data path. */
    public List<R> matching(Predicate<? super R> condition) {
        List<R> found = new ArrayList<>();
        collect(exact, condition, found);
        for (PostedBuckets buckets : masked) {
            collect(buckets, condition, found);
        }
        collect(rest, condition, found);
        found.sort(Comparator.comparingLong(receive -> receive.sequence));
        return found;
    }

    private void collect(PostedBuckets buckets, Predicate<? super R> condition, List<R> found) {
        for (PostedList list : buckets.all()) {
            collect(list, condition, found);
        }
    }

    private void collect(PostedList list, Predicate<? super R> condition, List<R> found) {
        for (PostedReceive receive = list.first; receive != null; receive = receive.nextPosted) {
            if (condition.test(own(receive))) {
                found.add(own(receive));
            }
        }
    }

    // Only an R is ever posted.
    @SuppressWarnings("unchecked")
    private R own(PostedReceive receive) {
        return (R) receive;
    }
}
