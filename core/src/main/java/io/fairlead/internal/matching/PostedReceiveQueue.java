package io.fairlead.internal.matching;

import io.fairlead.Worker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The receives of one worker that no message has matched; a message takes the first posted one that fits.
 *
 * <p>Receives that compare the whole tag hang in buckets by tag, so that thousands of outstanding tags cost no search; receives
 * with a partial mask hang in one list of their own. Sequence numbers decide between the two.
 *
 * @param <R> the engine's operations
 */
public final class PostedReceiveQueue<R extends PostedReceive> {
    private final PostedList[] exact = new PostedList[TagBuckets.COUNT];
    private final PostedList masked = new PostedList();
    private long nextSequence;
    private long count;
    private long bytes;
    private long attempts;

    public PostedReceiveQueue() {
        for (int i = 0; i < exact.length; i++) {
            exact[i] = new PostedList();
        }
    }

    /** Adds a receive behind all others. */
    public void post(R receive) {
        receive.sequence = nextSequence++;
        PostedList list = receive.tagMask == Worker.FULL_TAG_MASK ? exact[TagBuckets.of(receive.tag)] : masked;
        list.append(receive);
        count++;
        bytes += receive.length();
    }

    public boolean isEmpty() {
        return count == 0;
    }

    /** Takes a receive out; false if a message has matched it already. */
    public boolean withdraw(PostedReceive receive) {
        PostedList list = receive.postedIn;
        if (list == null) {
            return false;
        }
        list.remove(receive);
        count--;
        bytes -= receive.length();
        return true;
    }

    /** The oldest receive that fits a message, taken out; null if there is none. */
    public @Nullable R match(MessageSource source, long tag) {
        PostedReceive byTag = exact[TagBuckets.of(tag)].first;
        long looked = 0;
        while (byTag != null && (byTag.tag != tag || !byTag.takesFrom(source))) {
            byTag = byTag.nextPosted;
            looked++;
        }
        PostedReceive byMask = masked.first;
        while (byMask != null && (((byMask.tag ^ tag) & byMask.tagMask) != 0 || !byMask.takesFrom(source))) {
            byMask = byMask.nextPosted;
            looked++;
        }
        attempts += looked + (byTag == null ? 0 : 1) + (byMask == null ? 0 : 1);
        PostedReceive oldest = byTag;
        if (byTag == null || (byMask != null && byMask.sequence < byTag.sequence)) {
            oldest = byMask;
        }
        if (oldest == null) {
            return null;
        }
        withdraw(oldest);
        return own(oldest);
    }

    /** How many receives are posted. */
    public long count() {
        return count;
    }

    /** The room in their buffers. */
    public long bytes() {
        return bytes;
    }

    /** How many receives have been compared with messages. */
    public long attempts() {
        return attempts;
    }

    /** The receives that satisfy a condition, oldest first; for teardown, not for the data path. */
    public List<R> matching(Predicate<? super R> condition) {
        List<R> found = new ArrayList<>();
        for (PostedList list : exact) {
            collect(list, condition, found);
        }
        collect(masked, condition, found);
        found.sort(Comparator.comparingLong(receive -> receive.sequence));
        return found;
    }

    private void collect(PostedList list, Predicate<? super R> condition, List<R> found) {
        for (PostedReceive receive = list.first; receive != null; receive = receive.nextPosted) {
            if (condition.test(own(receive))) {
                found.add(own(receive));
            }
        }
    }

    // Nothing but an R is ever posted.
    @SuppressWarnings("unchecked")
    private R own(PostedReceive receive) {
        return (R) receive;
    }
}
