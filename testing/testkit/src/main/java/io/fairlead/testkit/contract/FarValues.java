package io.fairlead.testkit.contract;

import io.fairlead.Endpoint;
import io.fairlead.FairleadConfig;
import io.fairlead.MemoryRegion;
import io.fairlead.PathPolicy;
import io.fairlead.RemoteKey;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.config.ConfigKey;
import io.fairlead.config.ConfigKeys;
import io.fairlead.internal.providers.SecurityProviders;
import io.fairlead.spi.TransportProvider;
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
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Arguments and results of {@link FarCalls} as bytes. Plain values go as they are; objects with an interface of Fairlead's as a number; memory by its place
 * in what both processes have mapped. Memory of a region is mapped by the caller, and that of a message is copied.
 */
final class FarValues {
    private static final int NULL = 0;
    private static final int LONG = 1;
    private static final int INT = 2;
    private static final int BOOLEAN = 3;
    private static final int MINE = 4;
    private static final int MINE_AGAIN = 5;
    private static final int YOURS = 6;
    private static final int SHARED = 7;
    private static final int MAPPED = 8;
    private static final int COPIED = 9;
    private static final int SERIALIZED = 10;

    private final FarCalls calls;
    private final FarMemory memory;

    FarValues(FarCalls calls, FarMemory memory) {
        this.calls = calls;
        this.memory = memory;
    }

    /** What stands for a value within others. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Encoded(byte[] bytes) implements Serializable {}

    private record OptionalValue(@Nullable Object value) implements Serializable {}

    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record RecordValue(String type, @Nullable Object[] components) implements Serializable {}

    private record PolicyValue(String text) implements Serializable {}

    private record ConfigValue(LinkedHashMap<String, String> texts) implements Serializable {}

    /** A request is the worker's again when its completion returns. */
    private record Completed(
            Status status, Optional<Endpoint> source, long id, long length, long tag, long userData, long value)
            implements Request {
        static Completed of(Request request) {
            return new Completed(
                    request.status(),
                    request.source(),
                    request.id(),
                    request.length(),
                    request.tag(),
                    request.userData(),
                    request.value());
        }
    }

    byte[] encode(@Nullable Object value, Method method) {
        boolean ofRegion =
                method.getDeclaringClass() == MemoryRegion.class || method.getDeclaringClass() == RemoteKey.class;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            encode(value, ofRegion, new DataOutputStream(bytes));
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot be sent to the other process: " + value, failure);
        }
        return bytes.toByteArray();
    }

    /** With less of it, if it has parts that cannot be sent. */
    byte[] encodeThrown(Throwable thrown) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            encode(thrown, false, new DataOutputStream(bytes));
            return bytes.toByteArray();
        } catch (IOException | RuntimeException notSent) {
            ByteArrayOutputStream less = new ByteArrayOutputStream();
            try {
                encode(new IllegalStateException(thrown.toString()), false, new DataOutputStream(less));
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
            return less.toByteArray();
        }
    }

    private void encode(@Nullable Object value, boolean ofRegion, DataOutputStream out) throws IOException {
        switch (value) {
            case null -> out.writeByte(NULL);
            case Long number -> {
                out.writeByte(LONG);
                out.writeLong(number);
            }
            case Integer number -> {
                out.writeByte(INT);
                out.writeInt(number);
            }
            case Boolean flag -> {
                out.writeByte(BOOLEAN);
                out.writeBoolean(flag);
            }
            case MemorySegment segment -> encode(segment, ofRegion, out);
            case Object object
            when calls.farId(object) >= 0 -> {
                out.writeByte(YOURS);
                out.writeInt(calls.farId(object));
            }
            case Object object
            when isKept(object) -> {
                boolean again = calls.isExported(object);
                out.writeByte(again ? MINE_AGAIN : MINE);
                out.writeInt(calls.export(object));
                if (!again) {
                    out.writeUTF(String.join(" ", interfaces(object)));
                }
            }
            default -> {
                out.writeByte(SERIALIZED);
                try (ObjectOutputStream objects = new Writer(out, ofRegion)) {
                    objects.writeObject(value);
                }
            }
        }
    }

    private void encode(MemorySegment segment, boolean ofRegion, DataOutputStream out) throws IOException {
        long offset = memory.offset(segment);
        if (offset >= 0) {
            out.writeByte(SHARED);
            out.writeLong(offset);
            out.writeLong(segment.byteSize());
        } else if (ofRegion && memory.isTheChilds()) {
            out.writeByte(MAPPED);
            out.writeLong(segment.address());
            out.writeLong(segment.byteSize());
        } else if (memory.isTheChilds()) {
            byte[] copy = segment.toArray(ValueLayout.JAVA_BYTE);
            out.writeByte(COPIED);
            out.writeInt(copy.length);
            out.write(copy);
        } else {
            throw new UnsupportedOperationException("the other process cannot see this memory: " + segment);
        }
        out.writeBoolean(segment.isReadOnly());
    }

    @Nullable Object decode(byte[] bytes) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            return decode(in);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private @Nullable Object decode(DataInputStream in) throws IOException {
        int kind = in.readByte();
        return switch (kind) {
            case NULL -> null;
            case LONG -> in.readLong();
            case INT -> in.readInt();
            case BOOLEAN -> in.readBoolean();
            case MINE -> calls.proxy(in.readInt(), List.of(in.readUTF().split(" ", -1)));
            case MINE_AGAIN -> calls.proxy(in.readInt());
            case YOURS -> calls.own(in.readInt());
            case SHARED -> withAccess(memory.segment(in.readLong(), in.readLong()), in);
            case MAPPED -> withAccess(memory.map(in.readLong(), in.readLong()), in);
            case COPIED -> withAccess(copy(in.readNBytes(in.readInt())), in);
            case SERIALIZED -> {
                try (ObjectInputStream objects = new Reader(in)) {
                    yield objects.readObject();
                } catch (ClassNotFoundException notHere) {
                    throw new IOException(notHere);
                }
            }
            default -> throw new IOException("unknown kind of value: " + kind);
        };
    }

    /** Aligned as the original is. */
    private static MemorySegment copy(byte[] bytes) {
        return Arena.ofAuto()
                .allocate(Math.max(bytes.length, 1), Long.BYTES)
                .asSlice(0, bytes.length)
                .copyFrom(MemorySegment.ofArray(bytes));
    }

    private static MemorySegment withAccess(MemorySegment segment, DataInputStream in) throws IOException {
        return in.readBoolean() ? segment.asReadOnly() : segment;
    }

    /** Whether an object stays in its process. */
    private static boolean isKept(Object object) {
        return !(object instanceof Serializable)
                && !(object instanceof Optional)
                && !(object instanceof Request)
                && !(object instanceof Record)
                && !interfaces(object).isEmpty();
    }

    /** What is known of an object to users of the API and of the SPI, and functions of the JDK. */
    private static List<String> interfaces(Object object) {
        Set<String> found = new LinkedHashSet<>();
        for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
            collect(type, found);
        }
        return new ArrayList<>(found);
    }

    private static void collect(Class<?> type, Set<String> found) {
        for (Class<?> above : type.getInterfaces()) {
            String name = above.getName();
            boolean known = name.startsWith("io.fairlead.")
                    && !name.contains(".internal.")
                    && !name.startsWith("io.fairlead.testkit.");
            if (Modifier.isPublic(above.getModifiers()) && (known || name.startsWith("java.util.function."))) {
                found.add(name);
            }
            collect(above, found);
        }
    }

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
                case Optional<?> optional -> new OptionalValue(optional.orElse(null));
                case PathPolicy policy -> new PolicyValue(policy.toString());
                case FairleadConfig config -> new ConfigValue(texts(config));
                case Completed completed -> asRecord(completed);
                case Request request -> asRecord(Completed.of(request));
                case MemorySegment segment -> encoded(segment);
                case Object other when calls.farId(other) >= 0 || isKept(other) -> encoded(other);
                case Record values when !(values instanceof Serializable) -> asRecord(values);
                default -> object;
            };
        }

        private Encoded encoded(Object value) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            encode(value, ofRegion, new DataOutputStream(bytes));
            return new Encoded(bytes.toByteArray());
        }
    }

    @SuppressWarnings("NonApiType") // A map that can be serialized.
    private static LinkedHashMap<String, String> texts(FairleadConfig config) {
        LinkedHashMap<String, String> texts = new LinkedHashMap<>();
        config.keys().forEach(key -> put(config, key, texts));
        return texts;
    }

    private static <T> void put(FairleadConfig config, ConfigKey<T> key, Map<String, String> texts) {
        T value = config.value(key);
        if (!value.equals(key.defaultValue())) {
            texts.put(key.name(), key.format(value));
        }
    }

    private static RecordValue asRecord(Record values) {
        try {
            RecordComponent[] components = values.getClass().getRecordComponents();
            @Nullable Object[] all = new Object[components.length];
            for (int i = 0; i < components.length; i++) {
                components[i].getAccessor().setAccessible(true);
                all[i] = components[i].getAccessor().invoke(values);
            }
            return new RecordValue(values.getClass().getName(), all);
        } catch (ReflectiveOperationException failure) {
            throw new IllegalStateException("a record cannot be read: " + values.getClass(), failure);
        }
    }

    private final class Reader extends ObjectInputStream {
        Reader(InputStream in) throws IOException {
            super(in);
            enableResolveObject(true);
        }

        @Override
        protected @Nullable Object resolveObject(@Nullable Object object) {
            return switch (object) {
                case null -> null;
                case Encoded encoded -> decode(encoded.bytes());
                case OptionalValue optional -> Optional.ofNullable(optional.value());
                case PolicyValue policy -> PathPolicy.parse(policy.text());
                case ConfigValue config -> config(config.texts());
                case RecordValue values -> fromRecord(values);
                default -> object;
            };
        }
    }

    private static FairleadConfig config(Map<String, String> texts) {
        List<ConfigKey<?>> known = new ArrayList<>(ConfigKeys.all());
        ServiceLoader.load(TransportProvider.class).forEach(provider -> known.addAll(provider.configKeys()));
        known.addAll(SecurityProviders.configKeys());
        FairleadConfig config = FairleadConfig.defaults();
        for (ConfigKey<?> key : known) {
            String text = texts.get(key.name());
            config = text == null ? config : with(config, key, text);
        }
        return config;
    }

    private static <T> FairleadConfig with(FairleadConfig config, ConfigKey<T> key, String text) {
        return config.with(key, key.parse(text));
    }

    private static Object fromRecord(RecordValue values) {
        try {
            Class<?> type = FarCalls.load(values.type());
            Class<?>[] types = Arrays.stream(type.getRecordComponents())
                    .map(RecordComponent::getType)
                    .toArray(Class<?>[]::new);
            var constructor = type.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor.newInstance(values.components());
        } catch (ReflectiveOperationException failure) {
            throw new IllegalStateException("a record cannot be made: " + values.type(), failure);
        }
    }
}
