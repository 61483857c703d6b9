package io.fairlead.testkit.contract;

import io.fairlead.Endpoint;
import io.fairlead.MemoryRegion;
import io.fairlead.RemoteKey;
import io.fairlead.Request;
import io.fairlead.Status;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Calls between two processes, each on one thread. Objects with an interface of Fairlead's stay where they are: the other process has a proxy, and a call
 * of it runs here. Other values are serialized. A process that waits for a result serves the calls that come back, such as a completion inside of
 * progress, so that the order of all calls is that of one thread.
 */
final class FarCalls {
    private static final int FIRST = 0;
    private static final Object[] NO_ARGUMENTS = {};

    private final DataInputStream in;
    private final DataOutputStream out;
    private final FarMemory memory;
    private final Thread owner = Thread.currentThread();
    private final IdentityHashMap<Object, Integer> ids = new IdentityHashMap<>();
    private final Map<Integer, Object> mine = new HashMap<>();
    private final Map<Integer, Object> proxies = new HashMap<>();
    private int lastId;

    FarCalls(SocketChannel channel, FarMemory memory) {
        in = new DataInputStream(new BufferedInputStream(Channels.newInputStream(channel)));
        out = new DataOutputStream(Channels.newOutputStream(channel));
        this.memory = memory;
    }

    @SuppressWarnings("ArrayRecordComponent") // Never compared, as in the other records here.
    private record Call(
            int target,
            Class<?> type,
            String method,
            Class<?>[] parameters,
            @Nullable Object[] arguments) implements Serializable {
        /** What these return is memory of a region. */
        boolean isOfRegion() {
            return type == MemoryRegion.class || type == RemoteKey.class;
        }
    }

    private record Result(@Nullable Object value, @Nullable Throwable thrown) implements Serializable {}

    /** An object that stays with the sender. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Mine(int id, Class<?>[] types) implements Serializable {}

    /** An object of the receiver's. */
    private record Yours(int id) implements Serializable {}

    private record Maybe(@Nullable Object value) implements Serializable {}

    @SuppressWarnings("ArrayRecordComponent")
    private record Components(Class<?> type, @Nullable Object[] values) implements Serializable {}

    /** A request is the worker's again when its completion returns. */
    private record Completed(
            long id, Status status, long tag, Optional<Endpoint> source, long length, long value, long userData)
            implements Request {
        Completed(Request request) {
            this(
                    request.id(),
                    request.status(),
                    request.tag(),
                    request.source(),
                    request.length(),
                    request.value(),
                    request.userData());
        }
    }

    /** What a proxy of an object in the other process runs. */
    private final class Far implements InvocationHandler {
        private final int id;

        Far(int id) {
            this.id = id;
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // A proxy stands for one object.
        public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
            if (method.getDeclaringClass() != Object.class) {
                return call(id, method, arguments == null ? NO_ARGUMENTS : arguments);
            }
            return switch (method.getName()) {
                case "equals" -> arguments != null && proxy == arguments[0];
                case "hashCode" -> id;
                default -> "object " + id + " of the other process";
            };
        }
    }

    /** Lets the other process call an object, which it knows from the beginning. */
    void offer(Object first) {
        mine.put(FIRST, first);
    }

    /** A proxy of what the other process {@linkplain #offer offers}. */
    <T> T first(Class<T> type) {
        return type.cast(proxy(FIRST, type));
    }

    /** Forgets all objects but the first; the other process does so too. */
    void forget() {
        ids.clear();
        mine.keySet().removeIf(id -> id != FIRST);
        proxies.keySet().removeIf(id -> id != FIRST);
    }

    private @Nullable Object call(int target, Method method, Object[] arguments) throws Throwable {
        if (!Thread.currentThread().equals(owner)) {
            throw new UnsupportedOperationException("another thread calls the other process: " + method.getName());
        }
        write(encoded(
                new Call(target, method.getDeclaringClass(), method.getName(), method.getParameterTypes(), arguments),
                false));
        while (true) {
            Object received = decoded(in.readNBytes(in.readInt()));
            if (received instanceof Result result) {
                if (result.thrown != null) {
                    throw result.thrown;
                }
                return result.value;
            }
            serve((Call) received);
        }
    }

    /** Serves calls until the other process hangs up. */
    void serveAll() throws IOException {
        for (byte[] length = in.readNBytes(Integer.BYTES);
                length.length == Integer.BYTES;
                length = in.readNBytes(Integer.BYTES)) {
            int bytes = new DataInputStream(new ByteArrayInputStream(length)).readInt();
            serve((Call) decoded(in.readNBytes(bytes)));
        }
    }

    private void serve(Call call) throws IOException {
        Result result;
        try {
            Method method = call.type.getMethod(call.method, call.parameters);
            method.setAccessible(true);
            result = new Result(method.invoke(own(call.target), call.arguments), null);
        } catch (InvocationTargetException failure) {
            result = new Result(null, failure.getCause());
        } catch (ReflectiveOperationException failure) {
            result = new Result(null, failure);
        }
        byte[] encoded;
        try {
            encoded = encoded(result, call.isOfRegion());
        } catch (IOException | RuntimeException notSent) {
            encoded = encoded(new Result(null, new IllegalStateException(notSent + ": " + result)), false);
        }
        write(encoded);
    }

    private void write(byte[] message) throws IOException {
        ByteArrayOutputStream whole = new ByteArrayOutputStream(Integer.BYTES + message.length);
        DataOutputStream framed = new DataOutputStream(whole);
        framed.writeInt(message.length);
        framed.write(message);
        whole.writeTo(out);
        out.flush();
    }

    private byte[] encoded(Object message, boolean ofRegion) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream objects = new Writer(bytes, ofRegion)) {
            objects.writeObject(message);
        }
        return bytes.toByteArray();
    }

    private Object decoded(byte[] message) throws IOException {
        try (ObjectInputStream objects = new Reader(new ByteArrayInputStream(message))) {
            return objects.readObject();
        } catch (ClassNotFoundException notHere) {
            throw new IOException(notHere);
        }
    }

    private Object own(int id) {
        Object object = mine.get(id);
        if (object == null) {
            throw new IllegalStateException("the other process names an object that is not here: id=" + id);
        }
        return object;
    }

    private Object proxy(int id, Class<?>... types) {
        return proxies.computeIfAbsent(
                id, absent -> Proxy.newProxyInstance(FarCalls.class.getClassLoader(), types, new Far(absent)));
    }

    private Mine exported(Object object, Class<?>[] types) {
        int id = ids.computeIfAbsent(object, exported -> {
            lastId++;
            mine.put(lastId, exported);
            return lastId;
        });
        return new Mine(id, types);
    }

    /** Replaces what cannot be serialized, or is not to be. */
    private final class Writer extends ObjectOutputStream {
        private final boolean ofRegion;

        Writer(OutputStream out, boolean ofRegion) throws IOException {
            super(out);
            this.ofRegion = ofRegion;
            enableReplaceObject(true);
        }

        @Override
        protected @Nullable Object replaceObject(@Nullable Object object) throws IOException {
            return switch (object) {
                case null -> null;
                case MemorySegment segment -> memory.place(segment, ofRegion);
                case Optional<?> optional -> new Maybe(optional.orElse(null));
                case Proxy proxy when Proxy.getInvocationHandler(proxy) instanceof Far far -> new Yours(far.id);
                case Serializable plain -> plain;
                case Request request -> components(new Completed(request));
                case Record components -> components(components);
                case Object other -> {
                    Class<?>[] types = types(other);
                    yield types.length == 0 ? other : exported(other, types);
                }
            };
        }
    }

    private final class Reader extends ObjectInputStream {
        Reader(InputStream in) throws IOException {
            super(in);
            enableResolveObject(true);
        }

        @Override
        protected @Nullable Object resolveObject(@Nullable Object object) throws IOException {
            return switch (object) {
                case FarMemory.Place place -> memory.segment(place);
                case Maybe maybe -> Optional.ofNullable(maybe.value);
                case Mine theirs -> proxy(theirs.id, theirs.types);
                case Yours ours -> own(ours.id);
                case Components components -> record(components);
                case null, default -> object;
            };
        }
    }

    private static Components components(Record values) throws IOException {
        RecordComponent[] components = values.getClass().getRecordComponents();
        @Nullable Object[] all = new Object[components.length];
        try {
            for (int i = 0; i < components.length; i++) {
                components[i].getAccessor().setAccessible(true);
                all[i] = components[i].getAccessor().invoke(values);
            }
        } catch (ReflectiveOperationException failure) {
            throw new IOException("a record cannot be read: " + values.getClass(), failure);
        }
        return new Components(values.getClass(), all);
    }

    private static Object record(Components components) throws IOException {
        Class<?>[] types = Arrays.stream(components.type.getRecordComponents())
                .map(RecordComponent::getType)
                .toArray(Class<?>[]::new);
        try {
            Constructor<?> constructor = components.type.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor.newInstance(components.values);
        } catch (ReflectiveOperationException failure) {
            throw new IOException("a record cannot be made: " + components.type, failure);
        }
    }

    /** What users of the API know of an object, and functions of the JDK. */
    private static Class<?>[] types(Object object) {
        Set<Class<?>> found = new LinkedHashSet<>();
        collect(object.getClass(), found);
        return found.toArray(Class<?>[]::new);
    }

    private static void collect(Class<?> type, Set<Class<?>> found) {
        for (Class<?> above : type.getInterfaces()) {
            String name = above.getName();
            boolean isKnown = name.startsWith("io.fairlead.")
                    && !name.contains(".internal.")
                    && !name.startsWith("io.fairlead.testkit.");
            if (Modifier.isPublic(above.getModifiers()) && (isKnown || name.startsWith("java.util.function."))) {
                found.add(above);
            }
            collect(above, found);
        }
        if (type.getSuperclass() != null) {
            collect(type.getSuperclass(), found);
        }
    }
}
