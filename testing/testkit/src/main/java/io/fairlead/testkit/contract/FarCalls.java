package io.fairlead.testkit.contract;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Calls between two processes, each on one thread of its own. Objects stay where they are: the other process has a proxy of their interfaces, and a
 * call of it runs here. While a process waits for a result it serves the calls that come back, such as a completion inside of progress, so that the
 * order of all calls is that of one thread.
 */
final class FarCalls {
    private static final int CALL = 1;
    private static final int RETURNED = 2;
    private static final int THROWN = 3;
    private static final int FIRST = 0;
    private static final int BUFFER_BYTES = 64 << 10;
    private static final Object[] NO_ARGUMENTS = {};

    private final DataInputStream in;
    private final DataOutputStream out;
    private final FarValues values;
    private final Thread owner = Thread.currentThread();
    private final IdentityHashMap<Object, Integer> ids = new IdentityHashMap<>();
    private final Map<Integer, Object> mine = new HashMap<>();
    private final Map<Integer, Object> proxies = new HashMap<>();
    private final Map<String, Method> methodsByName = new HashMap<>();
    private final Map<Method, String> namesByMethod = new HashMap<>();
    private int lastId;
    private boolean isBroken;

    FarCalls(SocketChannel channel, FarMemory memory) {
        in = new DataInputStream(new BufferedInputStream(Channels.newInputStream(channel), BUFFER_BYTES));
        out = new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES));
        values = new FarValues(this, memory);
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
            if (method.getDeclaringClass() == Object.class) {
                return switch (method.getName()) {
                    case "equals" -> arguments != null && proxy == arguments[0];
                    case "hashCode" -> id;
                    default -> "object " + id + " of the other process";
                };
            }
            try {
                return call(id, method, arguments == null ? NO_ARGUMENTS : arguments);
            } catch (IOException broken) {
                isBroken = true;
                throw new UncheckedIOException("the other process cannot be called: " + method.getName(), broken);
            }
        }
    }

    /** Lets the other process call an object, which it knows from the beginning. */
    void offer(Object first) {
        mine.put(FIRST, first);
    }

    /** A proxy of what the other process {@linkplain #offer offers}. */
    <T> T first(Class<T> type) {
        return type.cast(proxy(FIRST, List.of(type.getName())));
    }

    /** The number under which the other process knows an object of this one. */
    int export(Object object) {
        return ids.computeIfAbsent(object, exported -> {
            lastId++;
            mine.put(lastId, exported);
            return lastId;
        });
    }

    /** Whether the other process has the object, or will when what is being written has been read. */
    boolean isExported(Object object) {
        return ids.containsKey(object);
    }

    Object own(int id) {
        Object object = mine.get(id);
        if (object == null) {
            throw new IllegalStateException("the other process names an object that is not here: id=" + id);
        }
        return object;
    }

    /** The number of the object that a proxy stands for; negative if it is none of this connection. */
    @SuppressWarnings("ReferenceEquality") // One of an earlier case may have the same number.
    int farId(Object object) {
        return Proxy.isProxyClass(object.getClass())
                        && Proxy.getInvocationHandler(object) instanceof Far far
                        && proxies.get(far.id) == object
                ? far.id
                : -1;
    }

    Object proxy(int id) {
        Object proxy = proxies.get(id);
        if (proxy == null) {
            throw new IllegalStateException("the other process has said nothing of its object: id=" + id);
        }
        return proxy;
    }

    Object proxy(int id, List<String> interfaces) {
        return proxies.computeIfAbsent(id, absent -> {
            Class<?>[] types = interfaces.stream().map(FarCalls::load).toArray(Class<?>[]::new);
            return Proxy.newProxyInstance(FarCalls.class.getClassLoader(), types, new Far(absent));
        });
    }

    static Class<?> load(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException notHere) {
            throw new IllegalStateException("the other process has a class that is not here", notHere);
        }
    }

    /** Whether the connection has ended, as an interrupted case ends it. */
    boolean isBroken() {
        return isBroken;
    }

    /** Forgets all objects but the first; the other process does so too. */
    void forget() {
        ids.clear();
        mine.keySet().removeIf(id -> id != FIRST);
        proxies.keySet().removeIf(id -> id != FIRST);
    }

    private @Nullable Object call(int id, Method method, Object[] arguments) throws Throwable {
        if (!Thread.currentThread().equals(owner)) {
            throw new UnsupportedOperationException(
                    "another thread calls what is in the other process: " + method.getName());
        }
        // Before anything is written: what cannot be sent must not leave half a call behind.
        List<byte[]> encoded = new ArrayList<>();
        for (Object argument : arguments) {
            encoded.add(values.encode(argument, method));
        }
        out.writeByte(CALL);
        out.writeInt(id);
        out.writeUTF(namesByMethod.computeIfAbsent(method, FarCalls::nameOf));
        out.writeByte(arguments.length);
        for (byte[] argument : encoded) {
            write(argument);
        }
        out.flush();
        return result(method);
    }

    private @Nullable Object result(Method method) throws Throwable {
        while (true) {
            int kind = in.readByte();
            if (kind == CALL) {
                serve();
                continue;
            }
            Object value = values.decode(read());
            if (kind == RETURNED) {
                return value;
            }
            Throwable thrown = (Throwable) value;
            if (thrown == null) {
                throw new IllegalStateException("no cause arrived of the failed call of " + method.getName());
            }
            throw thrown;
        }
    }

    /** Serves calls until the other process hangs up. */
    void serveAll() throws IOException {
        int kind = in.read();
        while (kind == CALL) {
            serve();
            kind = in.read();
        }
    }

    private void serve() throws IOException {
        Object target = own(in.readInt());
        Method method = methodsByName.computeIfAbsent(in.readUTF(), FarCalls::methodOf);
        @Nullable Object[] arguments = new Object[in.readByte()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = values.decode(read());
        }
        int kind = RETURNED;
        byte[] encoded;
        try {
            encoded = values.encode(method.invoke(target, arguments), method);
        } catch (InvocationTargetException failure) {
            kind = THROWN;
            encoded = values.encodeThrown(Objects.requireNonNull(failure.getCause(), "cause"));
        } catch (IllegalAccessException | RuntimeException failure) {
            kind = THROWN;
            encoded = values.encodeThrown(new IllegalStateException("cannot call " + method + ": " + failure, failure));
        }
        out.writeByte(kind);
        write(encoded);
        out.flush();
    }

    private void write(byte[] encoded) throws IOException {
        out.writeInt(encoded.length);
        out.write(encoded);
    }

    private byte[] read() throws IOException {
        return in.readNBytes(in.readInt());
    }

    private static String nameOf(Method method) {
        return Arrays.stream(method.getParameterTypes())
                .map(Class::getName)
                .collect(Collectors.joining(
                        ",", method.getDeclaringClass().getName() + "#" + method.getName() + "#", ""));
    }

    private static Method methodOf(String name) {
        String[] parts = name.split("#", -1);
        for (Method method : load(parts[0]).getMethods()) {
            if (nameOf(method).equals(name)) {
                method.setAccessible(true);
                return method;
            }
        }
        throw new UncheckedIOException(new IOException("the other process calls a method that is not here: " + name));
    }
}
