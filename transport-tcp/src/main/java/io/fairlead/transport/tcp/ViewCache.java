package io.fairlead.transport.tcp;

import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Byte buffers over the segments of callers, because only those go through a socket, and making one allocates.
 *
 * <p>A view is found again by address, length and scope. The scope tells memory apart from other memory that has taken its
 * place: the same address may come back, a scope does not. Views are held weakly, so that the memory of a caller who relies
 * on the garbage collector is not kept; the collector that clears them is one that ran because somebody else allocated.
 */
final class ViewCache {
    /** A buffer ends at 2 GiB, so longer segments are seen through windows. */
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
     * A view of some bytes, position and limit set. It is shared by all who ask for the same segment: use it before the next call.
     *
     * @param segment native memory
     * @param offset the first byte
     * @param length how many are wanted, 1 and up
     * @return fewer bytes where a window ends
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
