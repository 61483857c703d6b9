package io.fairlead.servicetest.junit;

import io.fairlead.FairleadException;
import io.fairlead.servicetest.TestNodes;
import java.lang.reflect.AnnotatedElement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Starts the nodes that a test asks for, and closes them after it. {@link WithTestNodes} registers it. It has no state of its own: thread-safe. */
public final class TestNodesExtension implements ParameterResolver, AfterEachCallback {
    private static final ExtensionContext.Namespace STORE = ExtensionContext.Namespace.create(TestNodesExtension.class);

    /** Creates it, for JUnit. */
    public TestNodesExtension() {}

    /**
     * Supports nodes of one test. Constructors and methods that run once a class have no test.
     *
     * @param parameter of a method
     * @param context of it
     * @return whether it is a test's {@link TestNodes}
     */
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == TestNodes.class
                && context.getTestMethod().isPresent();
    }

    /**
     * Starts the nodes, unless the test has them.
     *
     * @param parameter of a method
     * @param context of it
     * @return the test's nodes
     * @throws FairleadException as {@link TestNodes#start(int)}
     * @throws IllegalArgumentException as {@link TestNodes#start(int)}
     */
    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        ExtensionContext.Store store = context.getStore(STORE);
        TestNodes nodes = store.get(TestNodes.class, TestNodes.class);
        if (nodes == null) {
            nodes = TestNodes.start(members(context));
            store.put(TestNodes.class, nodes);
        }
        return nodes;
    }

    private static int members(ExtensionContext context) {
        List<AnnotatedElement> places = new ArrayList<>();
        places.add(context.getRequiredTestMethod());
        for (Class<?> type = context.getRequiredTestClass(); type != null; type = type.getEnclosingClass()) {
            places.add(type);
        }
        for (AnnotatedElement place : places) {
            WithTestNodes annotation = place.getAnnotation(WithTestNodes.class);
            if (annotation != null) {
                return annotation.members();
            }
        }
        return 1;
    }

    /**
     * Closes the nodes, if the test has asked for some.
     *
     * @param context of the test
     */
    @Override
    public void afterEach(ExtensionContext context) {
        TestNodes nodes = context.getStore(STORE).remove(TestNodes.class, TestNodes.class);
        if (nodes != null) {
            nodes.close();
        }
    }
}
