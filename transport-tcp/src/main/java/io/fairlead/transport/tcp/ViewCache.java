package io.fairlead.transport.tcp;

import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Byte buffers over segments of callers: a socket accepts only byte buffers, and creating one allocates.
 *
 * <p>A view is found by address, length and scope. The scope distinguishes memory from later memory at the same
 * address. Views are weakly referenced, so memory that its owner leaves to the garbage collector is not kept alive. The
 * collection that clears them runs because of other allocations.
 */
final class ViewCache {
    /** A buffer has at most 2 GiB, so longer segments need several windows. */
    private static final int WINDOW_BITS = 30;

    private static final long WINDOW = 1L << WINDOW_BITS;
    private static final int SETS = 256;
    private static final int WAYS = 4;
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;
    private static final int SET_SHIFT = Long.SIZE - 8;

    /** A window of a segment. */
    private static final class View {
        final MemorySegment segment;
        final long window;
        final ByteBuffer bytes;

        View(MemorySegment segment, long window) {
            this.segment = segment;
            this.window = window;
            long start = window << WINDOW_BITS;
            bytes = segment.asSlice(start, Math.min(WINDOW, segment.byteSize() - start))
                    .asByteBuffer();
        }

        boolean shows(MemorySegment asked, long askedWindow) {
            return segment.address() == asked.address()
                    && window == askedWindow
                    && segment.byteSize() == asked.byteSize()
                    && segment.isReadOnly() == asked.isReadOnly()
                    && segment.scope().equals(asked.scope());
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private final @Nullable WeakReference<View>[] views = new WeakReference[SETS * WAYS];

    private int victim;

    /**
     * A view of some bytes, with position and limit set. It is shared by all users of the same segment: use it before
     * the next call.
     *
     * @param segment native memory
     * @param offset the first byte
     * @param length number of requested bytes, 1 and up
     * @return fewer bytes at the end of a window
     */
    ByteBuffer view(MemorySegment segment, long offset, long length) {
        long window = offset >>> WINDOW_BITS;
        ByteBuffer bytes = find(segment, window);
        int position = (int) (offset & (WINDOW - 1));
        int limit = (int) Math.min(WINDOW, position + length);
        return bytes.limit(limit).position(position);
    }

    private ByteBuffer find(MemorySegment segment, long window) {
        int set = (int) (((segment.address() + window) * SPREAD) >>> SET_SHIFT) * WAYS;
        for (int i = set; i < set + WAYS; i++) {
            WeakReference<View> reference = views[i];
            View view = reference == null ? null : reference.get();
            if (view != null && view.shows(segment, window)) {
                return view.bytes;
            }
        }
        View view = new View(segment, window);
        views[freeWay(set)] = new WeakReference<>(view);
        return view.bytes;
    }

    private int freeWay(int set) {
        for (int i = set; i < set + WAYS; i++) {
            WeakReference<View> reference = views[i];
            if (reference == null || reference.get() == null) {
                return i;
            }
        }
        victim = (victim + 1) % WAYS;
        return set + victim;
    }

    void clear() {
        Arrays.fill(views, null);
    }
}
