package io.fairlead.spring;

import io.fairlead.FairleadException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.List;
import java.util.function.Function;
import org.springframework.util.ReflectionUtils;

/** A method with {@link FairleadListener}, and how its parameter is made. */
record ListenerMethod(String beanName, Object bean, Method method, FairleadListener listener) {

    /** Complains about a method that cannot be called with a message. */
    ListenerMethod {
        if (method.getParameterCount() != 1 || method.getReturnType() != void.class) {
            throw new FairleadException(
                    FairleadException.Reason.CONFIGURATION,
                    "listener needs one parameter and returns nothing: method=" + beanName + "." + method.getName()
                            + ", parameters=" + method.getParameterCount() + ", returns="
                            + method.getReturnType().getSimpleName() + "; change the method");
        }
        ReflectionUtils.makeAccessible(method);
    }

    String id() {
        return listener.id().isEmpty() ? beanName + "." + method.getName() : listener.id();
    }

    /** How a message becomes the parameter. */
    Function<TopicMessage, Object> conversion(List<PayloadConverter> converters) {
        Type type = method.getGenericParameterTypes()[0];
        if (type == byte[].class) {
            return TopicMessage::bytes;
        }
        if (type == String.class) {
            return TopicMessage::text;
        }
        if (type == MemorySegment.class) {
            return TopicMessage::payload;
        }
        if (type == TopicMessage.class) {
            return message -> message;
        }
        return converters.stream()
                .filter(converter -> converter.supports(type))
                .findFirst()
                .<Function<TopicMessage, Object>>map(converter -> message -> converter.convert(message, type))
                .orElseThrow(() -> new FairleadException(
                        FairleadException.Reason.CONFIGURATION,
                        "listener's parameter is of no type that is known: method=" + beanName + "." + method.getName()
                                + ", type=" + type.getTypeName()
                                + "; take byte[], MemorySegment, String or TopicMessage, or add a PayloadConverter"));
    }

    void call(Object parameter) throws Throwable {
        try {
            method.invoke(bean, parameter);
        } catch (InvocationTargetException thrown) {
            throw thrown.getTargetException();
        }
    }
}
