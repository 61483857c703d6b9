package io.fairlead.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fails a class whose tests have left buffers to the garbage collector. Netty looks at every buffer (paranoid). */
final class Leaks implements BeforeAllCallback, AfterAllCallback {
    private static final Queue<String> FOUND = new ConcurrentLinkedQueue<>();

    static {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(new Factory());
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        FOUND.clear();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        // What is reported is found by the next allocations after a collection.
        for (int round = 0; round < 3; round++) {
            System.gc();
            for (int i = 0; i < 200; i++) {
                ByteBuf probe = UnpooledByteBufAllocator.DEFAULT.directBuffer(16);
                probe.release();
            }
            Thread.yield();
        }
        assertEquals("", String.join("\n\n", FOUND));
    }

    private static final class Factory extends ResourceLeakDetectorFactory {
        @Override
        @Deprecated
        public <T> ResourceLeakDetector<T> newResourceLeakDetector(
                Class<T> resource, int samplingInterval, long maxActive) {
            return new Recording<>(resource, samplingInterval);
        }
    }

    private static final class Recording<T> extends ResourceLeakDetector<T> {
        Recording(Class<T> resource, int samplingInterval) {
            super(resource, samplingInterval);
        }

        @Override
        protected boolean needReport() {
            return true;
        }

        @Override
        protected void reportTracedLeak(String resourceType, String records) {
            FOUND.add(resourceType + ": " + records);
        }

        @Override
        protected void reportUntracedLeak(String resourceType) {
            FOUND.add(resourceType);
        }
    }
}
