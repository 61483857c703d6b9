package io.fairlead.codec.protobuf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.ListValue;
import com.google.protobuf.Message;
import com.google.protobuf.StringValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.fairlead.services.PayloadCoder;
import io.fairlead.services.TypedService;
import io.fairlead.services.TypedServices;
import io.fairlead.servicetest.TestNodes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages of protobuf's own classes, which {@code protoc} has generated like any other. */
@Timeout(60)
final class ProtobufCodecTest {
    private static final Struct STRUCT = Struct.newBuilder()
            .putFields("name", Value.newBuilder().setStringValue("rope").build())
            .putFields("count", Value.newBuilder().setNumberValue(2).build())
            .build();

    private static byte[] encode(PayloadCoder coder, Object value) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        coder.encode(value, bytes);
        return bytes.toByteArray();
    }

    @Test
    void shouldCarryMessages() throws IOException {
        PayloadCoder coder = new ProtobufCodec().coder(Struct.class);
        byte[] bytes = encode(coder, STRUCT);
        assertEquals(STRUCT.getSerializedSize(), bytes.length);
        assertEquals(STRUCT, coder.decode(ByteBuffer.wrap(bytes)));
        assertEquals(
                STRUCT,
                coder.decode(ByteBuffer.allocateDirect(bytes.length).put(bytes).flip()));
        assertEquals(Struct.getDefaultInstance(), coder.decode(ByteBuffer.allocate(0)));
    }

    @Test
    void shouldRefuseBytesThatAreNoMessage() {
        PayloadCoder coder = new ProtobufCodec().coder(Struct.class);
        assertThrows(InvalidProtocolBufferException.class, () -> coder.decode(ByteBuffer.wrap(new byte[] {10, 99, 1})));
    }

    @Test
    void shouldRefuseTypesThatAreNoGeneratedMessage() {
        for (Type type : List.of(String.class, Message.class, List.class)) {
            IllegalArgumentException refused =
                    assertThrows(IllegalArgumentException.class, () -> new ProtobufCodec().coder(type));
            assertTrue(String.valueOf(refused.getMessage()).contains("protoc"), refused::getMessage);
        }
    }

    interface Store {
        StringValue name(Struct item);

        CompletableFuture<ListValue> all(Struct item);
    }

    @Test
    void shouldServeAnInterfaceOfMessages() throws Exception {
        try (TestNodes nodes = TestNodes.start();
                TypedService _ = TypedServices.serve(
                        nodes.service(),
                        Store.class,
                        new Store() {
                            @Override
                            public StringValue name(Struct item) {
                                return StringValue.of(
                                        item.getFieldsOrThrow("name").getStringValue());
                            }

                            @Override
                            public CompletableFuture<ListValue> all(Struct item) {
                                return CompletableFuture.completedFuture(ListValue.newBuilder()
                                        .addAllValues(item.getFieldsMap().values())
                                        .build());
                            }
                        },
                        new ProtobufCodec())) {
            Store store = TypedServices.client(nodes.peer(), Store.class, new ProtobufCodec());
            assertEquals("rope", store.name(STRUCT).getValue());
            assertEquals(2, store.all(STRUCT).get(30, TimeUnit.SECONDS).getValuesCount());
        }
    }
}
