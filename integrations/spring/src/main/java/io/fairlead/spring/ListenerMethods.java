package io.fairlead.spring;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/** Finds methods with {@link FairleadListener} while beans are made. */
final class ListenerMethods implements BeanPostProcessor {
    private final List<ListenerMethod> methods = new CopyOnWriteArrayList<>();

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        Class<?> type = AopUtils.getTargetClass(bean);
        if (AnnotationUtils.isCandidateClass(type, FairleadListener.class)) {
            Map<Method, FairleadListener> found =
                    MethodIntrospector.selectMethods(type, (Method method) -> annotation(method));
            found.forEach((method, listener) -> methods.add(new ListenerMethod(
                    beanName, bean, AopUtils.selectInvocableMethod(method, bean.getClass()), listener)));
        }
        return bean;
    }

    private static @Nullable FairleadListener annotation(Method method) {
        return AnnotatedElementUtils.findMergedAnnotation(method, FairleadListener.class);
    }

    /** The listener methods of all beans that have been made so far. */
    List<ListenerMethod> methods() {
        return methods;
    }
}
